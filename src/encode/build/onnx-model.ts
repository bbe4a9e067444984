// Writes ONNX models piece by piece: nodes first, then one tensor at a time.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import protobuf from 'protobufjs';

/** ONNX element types used here (TensorProto.DataType). */
export const ELEMENT_TYPE = { float: 1, int32: 6, int64: 7 } as const;

/** An attribute's value: a whole number or `{ float }`; ONNX keeps the two kinds apart. */
export type AttributeValue = number | { float: number };

export interface GraphNode {
  type: string;
  inputs: readonly string[];
  outputs: readonly string[];
  attributes?: Readonly<Record<string, AttributeValue>>;
  /** Empty for the ONNX standard operators. */
  domain?: string;
}

/** A graph input or output; a string extent is symbolic. */
export interface GraphValue {
  name: string;
  type: number;
  shape: readonly (number | string)[];
}

export interface GraphOutline {
  name: string;
  producerVersion: string;
  operatorSets: Readonly<Record<string, number>>;
  inputs: readonly GraphValue[];
  outputs: readonly GraphValue[];
  nodes: readonly GraphNode[];
}

/** IR version 8 belongs to operator set 17 and is read by every onnxruntime since 1.12. */
const IR_VERSION = 8;
const attributeType = { float: 1, int: 2 } as const;

// dist/src/encode/build -> the package root, where the .proto files are published.
const protoPath = fileURLToPath(new URL('../../../../src/encode/build/onnx.proto', import.meta.url));

/**
 * Encodes parts of an ONNX ModelProto. A protobuf parser merges repeated occurrences of a message field, so
 * the pieces of one model, written one after the other, are the model; no piece holds more than one tensor.
 */
export class OnnxWriter {
  readonly #model = protobuf.parse(readFileSync(protoPath, 'utf8')).root.lookupType('onnx.ModelProto');

  /** The model without its tensors. */
  outline(graph: GraphOutline): Uint8Array {
    return this.#encode({
      irVersion: IR_VERSION,
      producerName: 'ontomem',
      producerVersion: graph.producerVersion,
      opsetImport: Object.entries(graph.operatorSets).map(([domain, version]) => ({ domain, version })),
      graph: {
        name: graph.name,
        input: graph.inputs.map(valueMessage),
        output: graph.outputs.map(valueMessage),
        node: graph.nodes.map(nodeMessage),
      },
    });
  }

  /** One initialiser; `data` is taken in little-endian order. */
  tensor(name: string, shape: readonly number[], data: Float32Array | BigInt64Array): Uint8Array {
    const rawData = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    const dataType = data instanceof Float32Array ? ELEMENT_TYPE.float : ELEMENT_TYPE.int64;
    return this.#encode({ graph: { initializer: [{ name, dims: [...shape], dataType, rawData }] } });
  }

  /** One entry of the model's own metadata. */
  metadata(key: string, value: string): Uint8Array {
    return this.#encode({ metadataProps: [{ key, value }] });
  }

  #encode(message: protobuf.Message | Record<string, unknown>): Uint8Array {
    return this.#model.encode(message).finish();
  }
}

function valueMessage({ name, type, shape }: GraphValue): Record<string, unknown> {
  const dim = shape.map((extent) =>
    typeof extent === 'string' ? { dimParam: extent } : { dimValue: extent },
  );
  return { name, type: { tensorType: { elemType: type, shape: { dim } } } };
}

function nodeMessage(node: GraphNode, index: number): Record<string, unknown> {
  return {
    name: `${node.type}_${index}`,
    opType: node.type,
    domain: node.domain ?? '',
    input: [...node.inputs],
    output: [...node.outputs],
    attribute: Object.entries(node.attributes ?? {}).map(([name, value]) =>
      typeof value === 'number'
        ? { name, type: attributeType.int, i: value }
        : { name, type: attributeType.float, f: value.float },
    ),
  };
}

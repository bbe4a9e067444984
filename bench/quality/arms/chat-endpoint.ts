// An OpenAI-compatible chat endpoint, asked within bounds.
import { z } from 'zod';
import { OntomemError } from '../../../src/errors.js';

export interface ChatEndpoint {
  /** Base URL, as 'http://127.0.0.1:8080/v1'. */
  url: string;
  /** Servers with one model ignore it. */
  model?: string | undefined;
  /** Sent as a bearer token. */
  key?: string | undefined;
}

export interface ChatAnswer {
  text: string;
  /** Read and written, as the server counts them. */
  tokens: number | undefined;
}

const TIMEOUT_MS = 20_000;
const MOST_TOKENS = 160;
const MOST_ANSWER_CHARACTERS = 64 * 1024;

const answerSchema = z.looseObject({
  choices: z.array(z.looseObject({ message: z.looseObject({ content: z.string() }) })).min(1),
  usage: z.looseObject({ total_tokens: z.number().nonnegative() }).optional(),
});

/**
 * One answer at temperature 0: at most 160 tokens, 20 seconds and 64 K characters.
 * @throws INVALID_ARGUMENT naming the URL when the endpoint does not answer, or not in this form.
 */
export async function ask(endpoint: ChatEndpoint, system: string, user: string): Promise<ChatAnswer> {
  const url = `${endpoint.url.replace(/\/+$/, '')}/chat/completions`;
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(endpoint.key === undefined ? {} : { authorization: `Bearer ${endpoint.key}` }),
      },
      body: JSON.stringify({
        model: endpoint.model ?? 'default',
        messages: [
          { role: 'system', content: system },
          { role: 'user', content: user },
        ],
        max_tokens: MOST_TOKENS,
        temperature: 0,
      }),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!response.ok) throw new Error(`status ${response.status}`);
    const { choices, usage } = answerSchema.parse(JSON.parse(await readBounded(response)));
    return { text: choices[0]?.message.content ?? '', tokens: usage?.total_tokens };
  } catch (cause) {
    const problem = `gave no usable answer (${cause instanceof Error ? cause.message : cause})`;
    throw new OntomemError('INVALID_ARGUMENT', {
      input: endpoint.url,
      problem,
      cure: 'pass the base URL of a running OpenAI-compatible server',
      cause,
    });
  }
}

async function readBounded(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MOST_ANSWER_CHARACTERS)
      throw new Error(`more than ${MOST_ANSWER_CHARACTERS} characters`);
  }
  return text + decoder.decode();
}

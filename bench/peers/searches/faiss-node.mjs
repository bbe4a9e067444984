// faiss-node's flat inner-product index, where it installs: its install compiles FAISS from a clone.
export const name = 'faiss-node';

export async function open({ vectors, dimension, count, limit }) {
  const { default: faiss } = await import('faiss-node');
  const index = new faiss.IndexFlatIP(dimension);
  index.add(Array.from(vectors));
  const arrays = new WeakMap();
  let found;
  return {
    run: (queries) => {
      const array = arrays.get(queries) ?? Array.from(queries);
      arrays.set(queries, array);
      found = index.search(array, Math.min(limit, count));
    },
    first: () => found.labels.slice(0, Math.min(limit, count)),
    close: () => {},
  };
}

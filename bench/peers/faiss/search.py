"""Times FAISS' flat inner-product search inside Python: one line of commands in, one line of JSON out."""

import json
import os
import sys
import time

import faiss
import numpy as np

EMPTY_CALLS = 20_000


def main() -> None:
    folder, dimension, batch, limit, blas = sys.argv[1], *map(int, sys.argv[2:6])
    faiss.omp_set_num_threads(1)
    if blas:
        faiss.cvar.distance_compute_blas_threshold = 1
    vectors = np.fromfile(os.path.join(folder, "vectors"), np.float32).reshape(-1, dimension)
    queries = np.fromfile(os.path.join(folder, "queries"), np.float32).reshape(-1, batch, dimension)
    index = faiss.IndexFlatIP(dimension)
    index.add(vectors)
    scores = np.empty((batch, limit), np.float32)
    rows = np.empty((batch, limit), np.int64)
    # The raw entry point with ready pointers: Python's part is a fraction of a microsecond.
    pointers = [faiss.swig_ptr(query) for query in queries]
    out = faiss.swig_ptr(scores), faiss.swig_ptr(rows)

    def seconds(search, calls: int) -> float:
        started = time.perf_counter()
        for call in range(calls):
            search(batch, pointers[call % len(pointers)], limit, *out)
        return time.perf_counter() - started

    for line in sys.stdin:
        command, *words = line.split()
        if command == "time":
            calls = int(words[0])
            answer = seconds(index.search_c, calls) / calls * 1e6
        elif command == "empty":
            answer = seconds(faiss.IndexFlatIP(dimension).search_c, EMPTY_CALLS) / EMPTY_CALLS * 1e6
        else:
            index.search_c(batch, pointers[0], limit, *out)
            answer = [int(row) for row in rows[0] if row >= 0]
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()

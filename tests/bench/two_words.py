#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Texts with two-word terms, made of text-en-it's own rows: two sparse views of as many columns as are asked for (256,000 each).

    two_words.py --data FOLDER --out FOLDER [--columns 256000] [--near 4]       (needs NumPy and SciPy)

The order of the words in a text is not known any more; a word is paired with the next NEAR words of the same text in the order of
the columns, so that a text of w words has less than NEAR w pairs. Words keep their columns. Pairs that are in two or more texts, as
is asked of words, are hashed into the columns that are left, where several may meet. A term counts once in a text; the weight is
log(1 + count of the column in the text) times the inverse document frequency of the column, rows are of unit length. Writes
FOLDER/X_en.npz and FOLDER/Y_it.npz (scipy.sparse.save_npz), nothing that is random.
"""
import argparse
import os

import numpy as np
import scipy.io
import scipy.sparse as sp


def pairs(words, near):
    """Rows and keys of the pairs: word and word, the first one at most NEAR places before the second in the row."""
    texts, d = words.shape
    text = np.repeat(np.arange(texts), np.diff(words.indptr))
    rows, keys = [], []
    for step in range(1, near + 1):
        same = text[step:] == text[:-step]
        rows.append(text[step:][same])
        keys.append(words.indices[:-step][same].astype(np.int64) * d + words.indices[step:][same])
    return np.concatenate(rows), np.concatenate(keys)


def terms(words, columns, near):
    """The weighted matrix of words and hashed pairs, and what is said of it."""
    texts, d = words.shape
    rows, keys = pairs(words, near)
    distinct, which, texts_of = np.unique(keys, return_inverse=True, return_counts=True)
    kept = texts_of[which] > 1
    hashed = (distinct.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(32)) % np.uint64(columns - d)  # Fibonacci hashing
    words = words.tocoo()
    row = np.concatenate([words.row, rows[kept]])
    column = np.concatenate([words.col, d + hashed.astype(np.int64)[which[kept]]])
    counts = sp.coo_matrix((np.ones(row.size), (row, column)), shape=(texts, columns)).tocsr()
    frequency = np.bincount(counts.indices, minlength=columns)
    counts.data = np.log1p(counts.data) * np.log(texts / np.maximum(frequency, 1))[counts.indices]
    length = np.sqrt(counts.multiply(counts).sum(axis=1)).A1
    unit = sp.diags(1 / np.where(length > 0, length, 1)) @ counts
    return unit.tocsr(), f'{texts} texts x {columns} columns ({np.count_nonzero(frequency)} not empty), {unit.nnz} nonzeros; {d} words, {np.count_nonzero(texts_of > 1)} pairs in two or more texts of {distinct.size}'


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--data', default='../shared/data')
    parser.add_argument('--out', required=True)
    parser.add_argument('--columns', type=int, default=256000)
    parser.add_argument('--near', type=int, default=4)
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    for name in ('X_en', 'Y_it'):
        words = sp.csr_matrix(scipy.io.mmread(os.path.join(options.data, 'text-en-it', f'{name}.mtx.gz')))
        words.sort_indices()
        matrix, said = terms(words, options.columns, options.near)
        sp.save_npz(os.path.join(options.out, f'{name}.npz'), matrix, compressed=False)
        print(f'{name}: {said}')


if __name__ == '__main__':
    main()

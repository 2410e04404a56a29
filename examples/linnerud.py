#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A data set that comes with scikit-learn: 20 middle-aged men in a fitness club, three exercises and three measurements.

   pip install scikit-learn
   python3 examples/linnerud.py
   napi-cca exercise.csv body.csv -scale -shrinkage 0 -k 3
"""
from sklearn.datasets import load_linnerud

data = load_linnerud()
for name, header, rows in (("exercise.csv", data.feature_names, data.data), ("body.csv", data.target_names, data.target)):
    with open(name, "w") as file:
        file.write("\n".join([",".join(header)] + [",".join(f"{value:g}" for value in row) for row in rows]) + "\n")

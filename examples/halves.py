#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The left and the right halves of 60,000 pictures as two data sets: what does one half say about the other?

   apt-get install dataset-fashion-mnist python3-numpy
   python3 examples/halves.py /usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz
   python3 examples/halves.py /usr/share/datasets/fashion-mnist/t10k-images-idx3-ubyte.gz test_
   napi-cca left.npy right.npy -k 10 -test test_left.npy test_right.npy -plot

The same for any file of pictures in the format of MNIST.
"""
import gzip
import sys

import numpy as np

if len(sys.argv) < 2:
    sys.exit(__doc__)
prefix = sys.argv[2] if len(sys.argv) > 2 else ""
with gzip.open(sys.argv[1]) as file:
    count, height, width = np.frombuffer(file.read(16), ">i4")[1:]
    pictures = np.frombuffer(file.read(), np.uint8).reshape(count, height, width) / 255
np.save(prefix + "left.npy", pictures[:, :, : width // 2].reshape(count, -1))
np.save(prefix + "right.npy", pictures[:, :, width // 2 :].reshape(count, -1))

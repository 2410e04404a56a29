# SPDX-License-Identifier: BSD-2-Clause
# %% [markdown]
# # Which sentence is the translation of which?
#
# From 150 sentences and their translations, and no dictionary, canonical correlation analysis finds what the two languages have in common: scores that
# a sentence and its translation share. Then, of 300 other sentences, the translation is the nearest neighbour. Bags of words stay sparse.
#
#     pip install '.[all]'
#     python examples/python/translations.py

# %%
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import normalize

from slepcnapi import CCA, PLS

# %% [markdown]
# ## The sentences
#
# They are made up (`examples/data/sentences.py`) and free translations: parts are left out on either side, and one in five says something else of when or
# where. Any file with two columns will do.

# %%
here = Path(__file__).parent if "__file__" in globals() else Path("examples/python")
sentences = pd.read_csv(here.parent / "data" / "sentences.tsv", sep="\t")
known, new = sentences[:150], sentences[150:].reset_index(drop=True)
print(known.english[5], "=", known.german[5])

english, german = TfidfVectorizer(min_df=2), TfidfVectorizer(min_df=2)
X, Y = english.fit_transform(known.english), german.fit_transform(known.german)
X_new, Y_new = english.transform(new.english), german.transform(new.german)
print(f"{X.shape[0]} pairs of sentences, {X.shape[1]} and {Y.shape[1]} words, sparse: {X.nnz + Y.nnz} nonzeros")

# %% [markdown]
# ## How much shrinkage, and how many pairs are real?
#
# With nearly as many words as sentences, correlations near 1 come for free. How well they hold for sentences that had no part in finding them says how much
# shrinkage is right; permutations say what is chance.

# %%
cca = CCA(n_components=30, random_state=0)
print(cca.cross_validate(X, Y, cv=5, shrinkage=[0.001, 0.01, 0.03, 0.1, 0.3, 0.6]))
test = cca.permutation_test(X, Y, n_permutations=99)
print(f"real at 5 %: the first {test.n_real} of {cca.n_components_} pairs; the first has a correlation of {cca.pearson_[0]:.3f},")
print(f"95 % of permutations have a canonical one below {test.quantiles[0]:.3f}; ours is {cca.correlations_[0]:.3f}")

# %% [markdown]
# ## Translations of new sentences
#
# The nearest German sentence, by the cosine of scores, for each of 300 English ones. PLS, which asks for covariance instead of correlation, is what latent
# semantic indexing across languages does.


# %%
def accuracy(model, k):
    """How often the nearest neighbour by the first k scores is the translation."""
    x_scores, y_scores = model.transform(X_new, Y_new)
    similarity = normalize(x_scores[:, :k]) @ normalize(y_scores[:, :k]).T
    return np.mean(similarity.argmax(axis=1) == np.arange(len(new)))


pls = PLS(n_components=30).fit(X, Y)
pairs = [1, 2, 3, 5, 8, 12, 16, 20, 25, 30]
table = pd.DataFrame({"CCA": [accuracy(cca, k) for k in pairs], "PLS": [accuracy(pls, k) for k in pairs]}, index=pd.Index(pairs, name="pairs"))
print((100 * table).round(1).T.to_string())
print(f"by chance: {100 / len(new):.1f} %")

x_scores, y_scores = (normalize(scores) for scores in cca.transform(X_new, Y_new))
nearest = (x_scores @ y_scores.T).argmax(axis=1)
for i in (0, 1, 2):
    print(new.english[i], "->", new.german[nearest[i]])

# %% [markdown]
# ## A dictionary
#
# A word is a sentence of one word: what it adds to the scores is its row of the directions.

# %%
words = normalize(cca.x_rotations_) @ normalize(cca.y_rotations_).T
names = german.get_feature_names_out()
for word in ("river", "horse", "doctor", "curious", "mends", "windows"):
    likely = np.argsort(-words[english.vocabulary_[word]])[:2]
    print(f"{word:>10s}: " + ", ".join(f"{names[j]} {words[english.vocabulary_[word], j]:.2f}" for j in likely))

# %% [markdown]
# ## The picture

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
for name, colour in (("CCA", "tab:blue"), ("PLS", "tab:orange")):
    left.plot(table.index, 100 * table[name], "o-", color=colour, label=name)
left.axhline(100 / len(new), color="grey", linestyle=":", label="chance")
left.set(xlabel="pairs of directions", ylabel="% found", ylim=(0, 102), title=f"{len(new)} new sentences: the nearest is the translation")
left.legend(loc="lower right")
image = right.imshow(x_scores[:30] @ y_scores[:30].T, cmap="RdBu_r", vmin=-1, vmax=1)
right.set(xlabel="German sentence", ylabel="English sentence", title="similarity of the first 30")
figure.colorbar(image, ax=right, label="cosine of the scores")
figure.savefig("translations.png", dpi=80)
plt.show()

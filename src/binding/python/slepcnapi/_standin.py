# SPDX-License-Identifier: BSD-2-Clause
"""The little of scikit-learn that estimators need, where it is not installed: parameters by name, and what fit and transform share."""
import inspect
import types

import numpy as np

__all__ = ["BaseEstimator", "ClassNamePrefixFeaturesOutMixin", "ClassifierMixin", "ConvergenceWarning", "DataConversionWarning", "MultiOutputMixin",
           "NotFittedError", "RegressorMixin", "TransformerMixin", "validate_data"]


class ConvergenceWarning(UserWarning):
    """Fewer have converged than were asked for."""


class DataConversionWarning(UserWarning):
    """Data were taken for something else than what they are."""


class NotFittedError(ValueError, AttributeError):
    """Something was asked of an estimator that needs fit first."""


class BaseEstimator:
    """Parameters are those of the constructor."""

    @classmethod
    def _get_param_names(cls):
        return sorted(name for name in inspect.signature(cls.__init__).parameters if name != "self")

    def get_params(self, deep=True):
        """The parameters by their names."""
        return {name: getattr(self, name) for name in self._get_param_names()}

    def set_params(self, **params):
        """Sets some of them."""
        known = self._get_param_names()
        for name, value in params.items():
            if name not in known:
                raise ValueError(f"Invalid parameter {name!r} for estimator {self}. Valid parameters are: {known!r}.")
            setattr(self, name, value)
        return self

    def __repr__(self):
        defaults = {name: p.default for name, p in inspect.signature(type(self).__init__).parameters.items()}
        given = [f"{name}={value!r}" for name, value in self.get_params().items() if value is not defaults[name] and value != defaults[name]]
        return f"{type(self).__name__}({', '.join(given)})"

    def __sklearn_tags__(self):
        return types.SimpleNamespace(input_tags=types.SimpleNamespace(), target_tags=types.SimpleNamespace(), regressor_tags=types.SimpleNamespace())


class TransformerMixin:
    """fit_transform is fit and transform."""

    def fit_transform(self, X, y=None, **params):
        """Fits, and gives the scores of the same samples."""
        return self.fit(X, **params).transform(X) if y is None else self.fit(X, y, **params).transform(X)


class ClassNamePrefixFeaturesOutMixin:
    """Scores are called by the name of the class and a number."""

    def get_feature_names_out(self, input_features=None):
        """The names of the scores."""
        self._check_fitted()
        return np.asarray([f"{type(self).__name__.lower()}{i}" for i in range(self._n_features_out)], dtype=object)


class RegressorMixin:
    """The score is R^2."""

    def score(self, X, y, sample_weight=None):
        """R^2 of the prediction, the mean over the columns of y."""
        y, predicted = (np.asarray(v, float).reshape(len(v), -1) for v in (y, self.predict(X)))
        w = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, float)
        left = w @ (y - predicted)**2
        whole = w @ (y - np.average(y, axis=0, weights=w))**2
        return float(np.mean(np.where(whole > 0, 1 - left / np.where(whole > 0, whole, 1), np.where(left > 0, 0.0, 1.0))))


class ClassifierMixin:
    """The score is the share of samples that are taken for what they are."""

    def score(self, X, y, sample_weight=None):
        """The accuracy of the prediction."""
        return float(np.average(self.predict(X) == np.asarray(y), weights=sample_weight))


class MultiOutputMixin:
    """Takes several columns of y."""


def validate_data(estimator, X, *, reset=True, skip_check_array=True):
    """Counts columns, and compares their names, where they have any."""
    names = np.asarray(X.columns, dtype=object) if hasattr(X, "columns") and all(isinstance(c, str) for c in X.columns) else None
    if reset:
        vars(estimator).pop("feature_names_in_", None)
        estimator.n_features_in_ = X.shape[1]
        if names is not None:
            estimator.feature_names_in_ = names
    elif names is not None and hasattr(estimator, "feature_names_in_") and not np.array_equal(names, estimator.feature_names_in_):
        raise ValueError("The feature names should match those that were passed during fit.")
    elif X.shape[1] != estimator.n_features_in_:
        raise ValueError(f"X has {X.shape[1]} features, but {type(estimator).__name__} is expecting {estimator.n_features_in_} features as input")
    return X

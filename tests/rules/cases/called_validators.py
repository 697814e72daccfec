"""Functions that only check their arguments: where one raises, what follows its call is not reached."""

import torch


def check_features(queries, gallery):
    if queries.ndim != 2 or gallery.ndim != 2:
        raise ValueError("two dims are needed")
    if queries.shape[1] != gallery.shape[1]:
        raise ValueError("the features differ in size")


def assert_square(matrix):
    assert matrix.shape[0] == matrix.shape[1], "not square"


def refuse(reason):
    raise TypeError(reason)


def distance(queries, gallery):
    check_features(queries, gallery)
    return queries @ gallery.t()


def trace(matrix):
    assert_square(matrix)
    return matrix @ matrix


def never(queries, gallery):
    refused = refuse("not here")
    return queries @ gallery.t(), refused


class Metric:
    def check(self, left, right):
        if left.shape != right.shape:
            raise ValueError("shapes differ")

    def prepare(self, left, right):
        raise NotImplementedError

    def __call__(self, left, right):
        self.check(left, right)
        return left + right

    def prepared(self, left, right):
        self.prepare(left, right)
        return left + right  # expect: TL127


def sometimes(queries, gallery, strict):
    if strict:
        check_features(queries, gallery)
    return queries @ gallery.t()


def reported(queries, gallery):
    try:
        check_features(queries, gallery)
    except ValueError:
        print("they do not fit")
    return queries @ gallery.t()  # expect: TL105


def use(strict):
    queries, gallery = torch.zeros(2, 3), torch.zeros(5, 4)
    for function in (distance, never):
        try:
            function(queries, gallery)
        except (TypeError, ValueError):
            print("refused")
    try:
        distance(queries, gallery)
    except ValueError:
        print("refused")
    try:
        never(queries, gallery)
    except TypeError:
        print("refused")
    try:
        trace(queries)
    except AssertionError:
        print("refused")
    try:
        Metric()(queries, gallery)
    except ValueError:
        print("refused")
    Metric().prepared(queries, gallery)
    sometimes(queries, gallery, strict)
    return reported(queries, gallery)

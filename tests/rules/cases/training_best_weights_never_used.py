"""Copies of the best weights: those that nothing reads, and others."""

import copy
from copy import deepcopy

import torch


def forgotten(model, loader, validate):
    best, weights = 0.0, copy.deepcopy(model.state_dict())
    for _ in range(3):
        accuracy = validate(model, loader)
        if accuracy > best:
            best, weights = accuracy, copy.deepcopy(model.state_dict())  # expect: TL520  # noqa: F841
    return best


def forgotten_by_another_name(model, loader, validate):
    best, weights = 0.0, None
    for _ in range(3):
        accuracy = validate(model, loader)
        if accuracy > best:
            best, weights = accuracy, deepcopy(model.state_dict())  # expect: TL520  # noqa: F841
    return best


def loaded(model, loader, validate):
    best, weights = 0.0, None
    for _ in range(3):
        accuracy = validate(model, loader)
        if accuracy > best:
            best, weights = accuracy, copy.deepcopy(model.state_dict())
    model.load_state_dict(weights)


def saved_by_a_function_inside(model, loader, validate):
    best, weights = 0.0, None

    def save():
        torch.save(weights, "best.pt")

    for _ in range(3):
        accuracy = validate(model, loader)
        if accuracy > best:
            best, weights = accuracy, copy.deepcopy(model.state_dict())
    save()


def of_a_global(model, loader, validate):
    global best_weights
    best = 0.0
    for _ in range(3):
        accuracy = validate(model, loader)
        if accuracy > best:
            best, best_weights = accuracy, copy.deepcopy(model.state_dict())


def kept_for_others(trainer, loader, validate):
    best = 0.0
    for _ in range(3):
        accuracy = validate(trainer.model, loader)
        if accuracy > best:
            best, trainer.best = accuracy, copy.deepcopy(trainer.model.state_dict())


def without_a_test(model, loader):
    for _ in loader:
        last = copy.deepcopy(model.state_dict())  # noqa: F841

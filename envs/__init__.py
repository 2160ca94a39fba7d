"""Gymnasium environments: thin wrappers over the decision processes of `polyloop`.

A wrapper turns states into observations and actions into masks, and measures through an evaluator that it is
given. What is legal, and what an action does, is decided below this folder.
"""

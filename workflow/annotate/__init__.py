"""Annotate: what people do with items and answers, from the claim to the verdict.

Authoring, verification, adjudication, triage, refinement and grading; claims, drafts and submissions; qualification;
and the reading of models' answers. Imports ``workflow.access``.
"""

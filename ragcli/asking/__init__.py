"""The steps of ``ask``, for one question or a conversation.

In: a question, settings, and open stores. Out: an ``Answer`` with verified quotes (``ask``), its
layout (``layout``) and its JSON (``answer_json``). It calls ``retrieve``, ``answer`` and
``mapping``. It may not find passages, compute an answer, or write to a store.
"""

"""Attention without a shift, held against PyTorch's own function."""

from __future__ import annotations

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from ragcli.models.torch_trunk import STEP, attend, padded


@pytest.mark.parametrize("scale", [0.5, 40.0, -40.0], ids=["usual", "too large", "too small"])
def test_attention_equals_pytorchs(scale: float) -> None:
    """Three texts of 11, 16 and 9 tokens in 16 rows; scores of 1, or of 1,600 of one sign."""
    torch.manual_seed(5)
    lengths = (11, 16, 9)
    joined = torch.rand(3, 16, 3, 4, 8)
    joined[:, :, 0] *= scale
    joined[:, :, 1] *= abs(scale)
    real = torch.zeros(3, 1, 16)
    for text, length in enumerate(lengths):
        joined[text, length:, 2] = 0
        real[text, :, :length] = 1
    found = torch.empty(3, 16, 4, 8)
    attend(joined, real, found)
    for text, length in enumerate(lengths):
        query, key, value = joined[text, :length].permute(1, 2, 0, 3)
        expected = scaled_dot_product_attention(query, key, value, scale=1.0)
        torch.testing.assert_close(
            found[text, :length], expected.transpose(0, 1), atol=1e-5, rtol=1e-4
        )


def test_sum_that_is_finite_where_the_product_is_not() -> None:
    """Weights of exp(88) are a float32, but 50 times as much is none."""
    joined = torch.zeros(1, 16, 3, 4, 8)
    joined[0, :, 0, :, 0] = 88
    joined[0, 3, 1, :, 0] = 1
    joined[0, :, 2] = 50
    found = torch.empty(1, 16, 4, 8)
    attend(joined, torch.ones(1, 1, 16), found)
    torch.testing.assert_close(found, torch.full_like(found, 50))


def test_rows_of_a_text() -> None:
    """A multiple of the step, at least as many as tokens."""
    assert [padded(n) for n in (1, STEP, STEP + 1)] == [STEP, STEP, 2 * STEP]

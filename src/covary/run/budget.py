"""What a run may cost and what it has cost: requests, tokens, money."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from covary.errors import UsageError, nearest

PRICE_KEYS = ("input", "output", "currency")


class Price(NamedTuple):
    """A model's price in one currency per million tokens; completion tokens include reasoning."""

    input_per_million: float = 0.0
    output_per_million: float = 0.0
    currency: str = "USD"

    def of(self, prompt_tokens: int, completion_tokens: int) -> float:
        """What so many tokens cost."""
        return (prompt_tokens * self.input_per_million + completion_tokens * self.output_per_million) / 1e6


@dataclass(frozen=True)
class Budget:
    """Where a run stops sending; None: no bound. `money` is in the prices' currency.

    Requests are exact: no send is made beyond them, retries count. Tokens and money are known only when an answer is
    there, so what is under way is reckoned at the mean so far; the last answers may pass the bound by a little.
    """

    requests: int | None = None
    tokens: int | None = None
    money: float | None = None


@dataclass
class Spent:
    """What a run has used, as the servers reported it. `unreported`: answers without a token count, which cost 0 here."""

    sends: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    reasoning_tokens: int = 0
    money: float = 0.0
    currency: str | None = None
    unreported: int = 0
    reported: int = field(default=0, repr=False)

    @property
    def tokens(self) -> int:
        """Prompt and completion tokens."""
        return self.prompt_tokens + self.completion_tokens

    def add(self, prompt: int | None, completion: int | None, reasoning: int | None, price: Price | None) -> None:
        """Count one attempt's tokens."""
        if prompt is None and completion is None:
            self.unreported += 1
            return
        self.reported += 1
        self.prompt_tokens += prompt or 0
        self.completion_tokens += completion or 0
        self.reasoning_tokens += reasoning or 0
        if price:
            self.money += price.of(prompt or 0, completion or 0)

    def reached(self, budget: Budget, under_way: int) -> str | None:
        """Which bound one more send would pass, in words; None: none."""
        if budget.requests is not None and self.sends >= budget.requests:
            return f"the budget of {budget.requests:,} requests is used"
        ahead = (under_way + 1) / self.reported if self.reported else 0.0
        if budget.tokens is not None and self.tokens * (1 + ahead) > budget.tokens:
            return f"the budget of {budget.tokens:,} tokens is used ({self.tokens:,} so far)"
        if budget.money is not None and self.money * (1 + ahead) > budget.money:
            return f"the budget of {budget.money:g} {self.currency or ''} is used ({self.money:.4f} so far)".replace(
                "  ", " "
            )
        return None


def price_of(declared: Mapping[str, Any] | None, model: str) -> Price | None:
    """A price from a model's declaration {input, output, currency?} (per million tokens); None: none declared."""
    if declared is None:
        return None
    for key in declared:
        if key not in PRICE_KEYS:
            raise UsageError(f"model {model!r}: price has no key {key!r}{nearest(key, PRICE_KEYS)}")
    for key in ("input", "output"):
        value = declared.get(key, 0.0)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or value < 0:
            raise UsageError(f"model {model!r}: price.{key} must be a number per million tokens, found {value!r}")
    return Price(
        float(declared.get("input", 0.0)), float(declared.get("output", 0.0)), str(declared.get("currency", "USD"))
    )

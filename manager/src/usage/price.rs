//! Money, counted in whole millionths so that no sum depends on its order.

use crate::model::{FinancialCost, ToolDescriptor};
use std::fmt;

/// Millionths of a US dollar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Money(pub u64);

impl Money {
    /// An amount in dollars, rounded up; `None` for what is no amount.
    pub fn from_usd(amount: f64) -> Option<Self> {
        const MOST: f64 = 1e12;
        // A cent that came out of a sum as 0.01000000000000001 is a cent.
        let millionths = (amount * 1e6 * (1.0 - f64::EPSILON * 8.0)).ceil();
        (amount.is_finite() && (0.0..MOST).contains(&amount)).then_some(Self(millionths as u64))
    }

    /// The amount in dollars.
    pub fn usd(self) -> f64 {
        self.0 as f64 / 1e6
    }
}

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "${}.{:06}", self.0 / 1_000_000, self.0 % 1_000_000)
    }
}

/// What a call can cost, before it has happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Price {
    /// At most this.
    AtMost(Money),
    /// Nobody says; no budget can hold it.
    Unknown,
}

impl Price {
    /// What a tool's contract says of one call: the cost that its limits allow, or none where it is free.
    pub fn of(tool: &ToolDescriptor) -> Self {
        let bound = tool.sandbox.limits.as_ref().and_then(|limits| limits.max_cost_usd);
        match (bound, tool.risk.financial_cost) {
            (Some(most), _) => Money::from_usd(most).map_or(Self::Unknown, Self::AtMost),
            (None, Some(FinancialCost::None)) => Self::AtMost(Money::default()),
            (None, Some(FinancialCost::Low | FinancialCost::Metered | FinancialCost::Unknown)) => {
                Self::Unknown
            }
            // Unstated: a tool that stays here costs nothing.
            (None, None) if !tool.effects.external_calls => Self::AtMost(Money::default()),
            (None, None) => Self::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_is_rounded_up_and_what_is_none_is_refused() {
        for (amount, expected) in [
            (0.0, Some(0)),
            (0.01, Some(10_000)),
            (0.1 + 0.2, Some(300_000)),
            (1e-9, Some(1)),
            (-0.5, None),
            (f64::NAN, None),
            (f64::INFINITY, None),
        ] {
            assert_eq!(Money::from_usd(amount), expected.map(Money), "{amount}");
        }
        assert_eq!(Money(1_250_000).to_string(), "$1.250000");
    }
}

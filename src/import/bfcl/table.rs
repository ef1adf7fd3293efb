//! A comparison, printed.

use super::{Cell, Parity};
use std::fmt;

impl fmt::Display for Parity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.models.keys().map(String::len).max().unwrap_or_default();
        let categories: Vec<&str> = self.categories();
        write!(f, "{:width$}", "model")?;
        for category in &categories {
            write!(f, "  {category:>14}")?;
        }
        writeln!(f)?;
        for (model, found) in &self.models {
            write!(f, "{model:width$}")?;
            for category in &categories {
                let cell = found.cells.get(*category).copied().unwrap_or_default();
                write!(f, "  {:>14}", cell.to_string())?;
            }
            writeln!(f)?;
        }
        self.write_outcome(f)
    }
}

impl Parity {
    fn categories(&self) -> Vec<&str> {
        let mut all: Vec<&str> =
            self.models.values().flat_map(|m| m.cells.keys()).map(String::as_str).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    fn write_outcome(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let equal = self.rows - self.disagreements;
        writeln!(f, "\n{equal} of {} verdicts and error types are equal", self.rows)?;
        for differs in &self.shown {
            let (model, id) = (&differs.model, &differs.id);
            writeln!(f, "  {model} {id}: recorded {}, ours {}", differs.recorded, differs.ours)?;
        }
        if self.published > 0 {
            let equal = self.published - self.published_differ.len() as u64;
            writeln!(f, "{equal} of {} cells of its tables are equal", self.published)?;
        }
        self.published_differ.iter().try_for_each(|differs| writeln!(f, "  {differs}"))
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.percent(), self.correct)
    }
}

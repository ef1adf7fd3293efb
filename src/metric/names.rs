//! Short numbers for names that come again and again.
//!
//! Numbers go by order of arrival, so they must never order anything that is shown: resolve first, then sort.

use super::hash::FastMap;
use std::sync::Arc;

/// Names, each with its number.
#[derive(Debug, Default)]
pub(super) struct Names {
    numbers: FastMap<Arc<str>, u32>,
    names: Vec<Arc<str>>,
}

impl Names {
    /// The number of a name, old or new.
    pub(super) fn number(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = u32::try_from(self.names.len()).expect("INVARIANT: fewer than 2³² names fit in memory");
        let name: Arc<str> = name.into();
        self.names.push(Arc::clone(&name));
        self.numbers.insert(name, number);
        number
    }

    /// The number of a name that came before.
    pub(super) fn find(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// The name of a number.
    pub(super) fn name(&self, number: u32) -> &Arc<str> {
        &self.names[number as usize]
    }
}

/// Cases, told apart by suite and id.
#[derive(Debug, Default)]
pub(super) struct CaseNames {
    suites: Names,
    numbers: Vec<FastMap<Arc<str>, u32>>,
    names: Vec<(u32, Arc<str>)>,
}

impl CaseNames {
    /// The number of a case, old or new.
    pub(super) fn number(&mut self, suite: &str, case: &str) -> u32 {
        let suite = self.suites.number(suite);
        if self.numbers.len() <= suite as usize {
            self.numbers.push(FastMap::default());
        }
        let numbers = &mut self.numbers[suite as usize];
        if let Some(&number) = numbers.get(case) {
            return number;
        }
        let number = u32::try_from(self.names.len()).expect("INVARIANT: fewer than 2³² names fit in memory");
        let case: Arc<str> = case.into();
        self.names.push((suite, Arc::clone(&case)));
        numbers.insert(case, number);
        number
    }

    /// Suite and id of a number.
    pub(super) fn name(&self, number: u32) -> (&Arc<str>, &Arc<str>) {
        let (suite, case) = &self.names[number as usize];
        (self.suites.name(*suite), case)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_keeps_its_number() {
        let mut names = Names::default();
        assert_eq!(["a", "b", "a"].map(|name| names.number(name)), [0, 1, 0]);
        assert_eq!(&**names.name(1), "b");
    }

    #[test]
    fn the_same_id_in_two_suites_is_two_cases() {
        let mut cases = CaseNames::default();
        let numbers = [("s", "a"), ("t", "a"), ("s", "b"), ("t", "a")].map(|(s, c)| cases.number(s, c));
        assert_eq!(numbers, [0, 1, 2, 1]);
        assert_eq!(cases.name(1), (&"t".into(), &"a".into()));
    }
}

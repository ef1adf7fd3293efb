//! Pairing proposed with expected calls, optimally.
//!
//! Maximum-weight bipartite matching, so that neither order nor greed costs a correct answer: with expected
//! `f(a: any)`, `f(a: 1)` and proposed `f(1)`, `f(2)`, taking the first fit would leave `f(2)` over.
//!
//! Kuhn–Munkres with potentials, O(n²·m), after H. W. Kuhn, "The Hungarian method for the assignment
//! problem", Naval Research Logistics Quarterly 2 (1955).

/// The weight of pairing two calls; `None` if they cannot be paired at all.
pub(super) type Weights = Vec<Vec<Option<i64>>>;

/// The pairs `(row, column)` of the matching with the greatest total weight, by row.
///
/// Weights must be positive, so that a pair is always better than none.
pub(super) fn best_pairs(weights: &Weights) -> Vec<(usize, usize)> {
    let rows = weights.len();
    let columns = weights.first().map_or(0, Vec::len);
    if rows == 0 || columns == 0 {
        return Vec::new();
    }
    // The algorithm wants no more rows than columns; a missing edge weighs nothing.
    let transposed = rows > columns;
    let weight = |i: usize, j: usize| {
        let (row, column) = if transposed { (j, i) } else { (i, j) };
        weights[row][column].unwrap_or(0)
    };
    let assignment = assign(rows.min(columns), rows.max(columns), |i, j| -weight(i, j));
    let mut pairs: Vec<(usize, usize)> = assignment
        .into_iter()
        .enumerate()
        .map(|(i, j)| if transposed { (j, i) } else { (i, j) })
        .filter(|(row, column)| weights[*row][*column].is_some())
        .collect();
    pairs.sort_unstable();
    pairs
}

/// The column of each row in an assignment of least cost; `rows <= columns`.
fn assign(rows: usize, columns: usize, cost: impl Fn(usize, usize) -> i64) -> Vec<usize> {
    // One-based, with column 0 as the place where a row waits to be assigned.
    let mut row_potential = vec![0_i64; rows + 1];
    let mut column_potential = vec![0_i64; columns + 1];
    let mut row_of = vec![0_usize; columns + 1];
    for row in 1..=rows {
        let came_from = shortest_path(row, &cost, &mut row_potential, &mut column_potential, &mut row_of);
        let mut column = came_from.end;
        while column != 0 {
            let before = came_from.way[column];
            row_of[column] = row_of[before];
            column = before;
        }
    }
    let mut assignment = vec![0; rows];
    for column in 1..=columns {
        if row_of[column] > 0 {
            assignment[row_of[column] - 1] = column - 1;
        }
    }
    assignment
}

struct Path {
    end: usize,
    way: Vec<usize>,
}

/// Finds a free column for a row along tight edges, adjusting potentials on the way.
fn shortest_path(
    row: usize,
    cost: &impl Fn(usize, usize) -> i64,
    row_potential: &mut [i64],
    column_potential: &mut [i64],
    row_of: &mut [usize],
) -> Path {
    let columns = row_of.len() - 1;
    let mut way = vec![0; columns + 1];
    let mut slack = vec![i64::MAX; columns + 1];
    let mut seen = vec![false; columns + 1];
    row_of[0] = row;
    let mut column = 0;
    while row_of[column] != 0 {
        seen[column] = true;
        let from = row_of[column];
        let (mut delta, mut next) = (i64::MAX, 0);
        for to in (1..=columns).filter(|c| !seen[*c]) {
            let reduced = cost(from - 1, to - 1) - row_potential[from] - column_potential[to];
            if reduced < slack[to] {
                slack[to] = reduced;
                way[to] = column;
            }
            if slack[to] < delta {
                delta = slack[to];
                next = to;
            }
        }
        for to in 0..=columns {
            if seen[to] {
                row_potential[row_of[to]] += delta;
                column_potential[to] -= delta;
            } else {
                slack[to] = slack[to].saturating_sub(delta);
            }
        }
        column = next;
    }
    Path { end: column, way }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn greed_does_not_cost_a_pair() {
        let weights = vec![vec![Some(2), Some(2)], vec![Some(2), Some(1)]];
        assert_eq!(best_pairs(&weights), [(0, 1), (1, 0)]);
        assert_eq!(best_pairs(&vec![vec![None, Some(5)], vec![None, Some(9)]]), [(1, 1)]);
        assert_eq!(best_pairs(&Vec::new()), []);
        assert_eq!(best_pairs(&vec![vec![], vec![]]), []);
    }

    fn total(weights: &Weights, pairs: &[(usize, usize)]) -> i64 {
        pairs.iter().filter_map(|(r, c)| weights[*r][*c]).sum()
    }

    fn brute(weights: &Weights, row: usize, used: u32) -> i64 {
        if row == weights.len() {
            return 0;
        }
        let skip = brute(weights, row + 1, used);
        (0..weights[row].len())
            .filter(|c| used & (1 << c) == 0)
            .filter_map(|c| weights[row][c].map(|w| w + brute(weights, row + 1, used | (1 << c))))
            .fold(skip, i64::max)
    }

    proptest! {
        #[test]
        fn no_other_pairing_is_better(
            weights in (1_usize..6, 1_usize..6).prop_flat_map(|(r, c)| {
                let cell = prop_oneof![Just(None), (1_i64..2000).prop_map(Some)];
                prop::collection::vec(prop::collection::vec(cell, c), r)
            })
        ) {
            let pairs = best_pairs(&weights);
            prop_assert_eq!(total(&weights, &pairs), brute(&weights, 0, 0));
            let rows: std::collections::BTreeSet<_> = pairs.iter().map(|p| p.0).collect();
            let columns: std::collections::BTreeSet<_> = pairs.iter().map(|p| p.1).collect();
            prop_assert!(rows.len() == pairs.len() && columns.len() == pairs.len());
        }
    }
}

//! Under whose identity a tool acts.

use super::{
    Change, Direction, Group,
    sides::{More, Sides},
};
use crate::model::CredentialStrategy;

pub(super) const GROUP: Group = Group { pointers: &["/credentials"], compare };

fn compare(sides: &Sides<'_>, changes: &mut Vec<Change>) {
    let none = sides.after.credentials.strategy == CredentialStrategy::None;
    let direction = if none { Direction::Narrowing } else { Direction::Widening };
    sides.other("/credentials/strategy", direction, changes);
    sides.set("/credentials/requiredSecrets", More::Widens, changes);
    sides.other("/credentials/tokenAudience", Direction::Widening, changes);
    sides.flag("/credentials/scopeCheckRequired", More::Narrows, changes);
}

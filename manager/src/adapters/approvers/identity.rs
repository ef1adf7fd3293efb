//! Who a user of this machine is as a principal.

use crate::model::PrincipalId;

/// The principal of this process: the user that the system runs it for.
pub fn own_principal() -> PrincipalId {
    principal_of(rustix::process::geteuid().as_raw())
}

/// The principal of a user of this machine: `user:NAME` as the system's user list has it, else `user:uid-N`.
///
/// The environment is not asked: whoever starts a process can write there what they like.
pub fn principal_of(uid: u32) -> PrincipalId {
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    match name_of(&users, uid) {
        Some(name) => format!("user:{name}").into(),
        None => format!("user:uid-{uid}").into(),
    }
}

fn name_of(users: &str, uid: u32) -> Option<&str> {
    users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next().filter(|name| !name.is_empty() && !name.starts_with('#'))?;
        let found: u32 = fields.nth(1)?.parse().ok()?;
        (found == uid).then_some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_comes_from_the_user_list_and_nowhere_else() {
        let users = "# a comment\nroot:x:0:0:root:/root:/bin/sh\n:x:7:7::/:\nada:x:1000:1000:Ada:/home/ada:/bin/sh\nbroken\n";
        for (uid, name) in [(0, Some("root")), (1000, Some("ada")), (7, None), (5, None)] {
            assert_eq!(name_of(users, uid), name, "{uid}");
        }
        assert!(own_principal().starts_with("user:"));
    }
}

//! Rules on paths, ports and signals that hold even where a mount or a namespace should fail.

use crate::helper::mounts::{Kind, Piece, Rights};
use crate::helper::{PRIVATE, tree};
use crate::refused::Fault;
use crate::spec::Network;
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, LandlockStatus, PathBeneath, PathFd,
    Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetStatus, Scope,
};
use std::path::Path;

/// The newest rules that are asked for, where the kernel knows them.
const NEWEST: ABI = ABI::V6;

/// How much of the rules the kernel keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Applied {
    /// What this version of the kernel's interface knows. What older ones lack (truncation, devices, signals,
    /// abstract sockets) is held by mounts and namespaces too.
    Version(i32),
    /// None.
    Absent(String),
}

/// Binds this process, and those it makes, to what the tree grants.
pub(crate) fn apply(pieces: &[Piece], network: Network) -> Result<Applied, Fault> {
    let step = || "apply Landlock rules";
    let fault = |error: landlock::RulesetError| Fault::new(step(), error);
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(NEWEST))
        .map_err(fault)?
        .scope(Scope::AbstractUnixSocket | Scope::Signal)
        .map_err(fault)?;
    if network == Network::None {
        rules = rules.handle_access(AccessNet::BindTcp | AccessNet::ConnectTcp).map_err(fault)?;
    }
    let mut rules = rules.create().map_err(fault)?;
    // Which folders there are is no secret: there is nothing in the tree but what is granted.
    let top = PathFd::new("/").map_err(Fault::at("open `/` for its rule"))?;
    rules = rules.add_rule(PathBeneath::new(top, AccessFs::ReadDir)).map_err(fault)?;
    for (path, kind, rights) in tree::grants(pieces) {
        let open = PathFd::new(path).map_err(Fault::at(format!("open `{}` for its rule", path.display())))?;
        let names = is_private(path, pieces);
        rules = rules.add_rule(PathBeneath::new(open, granted(rights, kind, names))).map_err(fault)?;
    }
    let status = rules.restrict_self().map_err(fault)?;
    let version = match status.landlock {
        LandlockStatus::Available { effective_abi, kernel_abi } => kernel_abi.unwrap_or(effective_abi as i32),
        LandlockStatus::NotEnabled => {
            return Ok(Applied::Absent("Landlock is not enabled at boot".to_owned()));
        }
        LandlockStatus::NotImplemented => {
            return Ok(Applied::Absent("the kernel is built without Landlock".to_owned()));
        }
    };
    Ok(match status.ruleset {
        RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced => Applied::Version(version),
        RulesetStatus::NotEnforced => {
            Applied::Absent("the kernel keeps none of the Landlock rules".to_owned())
        }
    })
}

/// Whether pipes and sockets may have names somewhere.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Names {
    /// They are seen by nobody else.
    Private,
    /// They would be a surprise on the host.
    Host,
}

/// A rule counts for all below its path, so a private folder with a part of the host in it is not private; and two
/// of them are the same folder.
fn is_private(path: &Path, pieces: &[Piece]) -> Names {
    let in_private = |path: &Path| PRIVATE.iter().any(|private| path.starts_with(private));
    if in_private(path) && !pieces.iter().any(|piece| in_private(&piece.target)) {
        Names::Private
    } else {
        Names::Host
    }
}

fn granted(rights: Rights, kind: Kind, names: Names) -> BitFlags<AccessFs> {
    let read = AccessFs::from_read(NEWEST);
    let named = AccessFs::MakeSock | AccessFs::MakeFifo;
    let change = AccessFs::from_write(NEWEST)
        & !(AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::IoctlDev | named);
    let all = match (rights, names) {
        (Rights::Read, _) => read,
        (Rights::Device, _) => AccessFs::ReadFile | AccessFs::WriteFile,
        (Rights::Write, Names::Private) => read | change | named,
        (Rights::Write, Names::Host) => read | change,
    };
    match kind {
        Kind::Folder => all,
        Kind::File => all & AccessFs::from_file(NEWEST),
    }
}

//! The standard tools, which ship inside the program: its own word for what is first-party.
//!
//! A descriptor may claim any trust. That one is first-party is believed of exactly the contracts in here.

use super::descriptors::read_text;
use crate::{
    model::{Digest, ToolDescriptor, TrustLevel},
    port::{Discovery, Rejected, SourceError, ToolSourcePort},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

/// The descriptors that ship.
#[derive(Debug, Clone, Copy, Default)]
pub struct Standard;

impl Standard {
    /// The word by which it is named as a source.
    pub const WORD: &'static str = "standard";
}

macro_rules! shipped {
    ($name:literal) => {
        (concat!($name, ".yaml"), include_str!(concat!("../../../descriptors/", $name, ".yaml")))
    };
}

/// Every file, by name.
const FILES: &[(&str, &str)] = &[
    shipped!("agent.review"),
    shipped!("auth.reauthorize"),
    shipped!("cargo.test"),
    shipped!("cloud.purchase"),
    shipped!("code.search"),
    shipped!("code.symbols"),
    shipped!("db.drop_table"),
    shipped!("db.select"),
    shipped!("db.update"),
    shipped!("deploy.release"),
    shipped!("deploy.status"),
    shipped!("file.delete"),
    shipped!("file.list"),
    shipped!("file.move"),
    shipped!("file.patch"),
    shipped!("file.read"),
    shipped!("file.write"),
    shipped!("format.apply"),
    shipped!("git.commit"),
    shipped!("git.diff"),
    shipped!("git.log"),
    shipped!("git.push"),
    shipped!("git.status"),
    shipped!("issues.close"),
    shipped!("issues.create"),
    shipped!("issues.read"),
    shipped!("issues.search"),
    shipped!("lint.check"),
    shipped!("mail.search"),
    shipped!("mail.send"),
    shipped!("memory.recall"),
    shipped!("memory.save"),
    shipped!("npm.test"),
    shipped!("pull_request.create"),
    shipped!("pytest.run"),
    shipped!("secret.rotate"),
    shipped!("shell.run"),
    shipped!("types.generate"),
    shipped!("web.fetch"),
    shipped!("web.search"),
];

impl ToolSourcePort for Standard {
    fn discover(&self) -> Result<Discovery, SourceError> {
        let mut discovery = Discovery::default();
        let mut seen = BTreeMap::new();
        for (name, text) in FILES {
            match read_text(name, text, &mut seen) {
                Ok(tool) => discovery.tools.push(tool),
                Err(problem) => discovery.rejected.push(Rejected { name: (*name).to_owned(), problem }),
            }
        }
        Ok(discovery)
    }
}

static DIGESTS: LazyLock<BTreeSet<Digest>> = LazyLock::new(|| {
    // A descriptor that could not be read is first-party to nobody.
    let tools = Standard.discover().map(|discovery| discovery.tools).unwrap_or_default();
    tools.iter().map(|tool| tool.descriptor.digest()).collect()
});

/// How far a descriptor is trusted when somebody trusts its source so far: never further than it claims, and
/// as first-party only if it ships with this program.
pub fn trust(tool: &ToolDescriptor, source: TrustLevel) -> TrustLevel {
    let claimed = tool.provenance.trust_level;
    if claimed == TrustLevel::FirstParty {
        let shipped = DIGESTS.contains(&tool.digest());
        return if shipped { claimed } else { source.min(TrustLevel::Workspace) };
    }
    claimed.min(source)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::testing::descriptor;

    #[test]
    fn every_file_of_the_folder_ships_and_can_be_used() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/descriptors");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        files.sort();
        let table: Vec<&str> = FILES.iter().map(|(name, _)| *name).collect();
        assert_eq!(table, files);
        let discovery = Standard.discover().unwrap();
        assert_eq!((discovery.tools.len(), discovery.rejected.len()), (files.len(), 0));
    }

    #[test]
    fn first_party_is_what_ships_and_nothing_that_says_so() {
        let own = Standard.discover().unwrap().tools.remove(0).descriptor;
        assert_eq!(trust(&own, TrustLevel::Workspace), TrustLevel::FirstParty);
        let mut changed = own.clone();
        changed.description.summary.push('!');
        assert_eq!(trust(&changed, TrustLevel::FirstParty), TrustLevel::Workspace);
        assert_eq!(trust(&descriptor("a"), TrustLevel::Untrusted), TrustLevel::Untrusted);
        changed.provenance.trust_level = TrustLevel::ThirdParty;
        assert_eq!(trust(&changed, TrustLevel::Workspace), TrustLevel::ThirdParty);
    }
}

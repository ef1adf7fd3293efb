//! What a home lends to a manager, and makes one of again when its tools have changed.

use super::{Executors, HomeManagerError, Manager};
use crate::{
    adapters::{
        artifacts::ArtifactFolder,
        calls,
        grants::GrantBook,
        home::Home,
        policies::{PolicyFiles, load_limits},
        sandbox::Sandbox,
    },
    policy::{PolicyEngine, Vocabulary},
    port::{Adapter, Clock, CredentialBroker, GrantStore, Hooks},
    registry::Registry,
    usage::Used,
};
use std::{path::PathBuf, sync::Arc};

/// What a manager is made of again when tools have changed.
pub(super) struct Workshop {
    pub(super) adapters: Vec<Arc<dyn Adapter>>,
    pub(super) used: Arc<Used>,
    pub(super) approval_ttl: Option<chrono::TimeDelta>,
    pub(super) credentials: Arc<dyn CredentialBroker>,
    pub(super) hooks: Arc<dyn Hooks>,
    /// What this machine holds programs to; found out at most once.
    pub(super) sandbox: Arc<Sandbox>,
}

impl Workshop {
    pub(super) fn manager(
        &self,
        home: &Home,
        registry: &Registry,
        grants: &Arc<GrantBook>,
        clock: &Arc<dyn Clock>,
    ) -> Manager {
        let artifacts = Arc::new(ArtifactFolder::new(home.artifacts()));
        let manager = Manager::new(registry.clone(), policy(home, registry), Arc::clone(clock));
        let manager = match self.approval_ttl {
            Some(ttl) => manager.with_approval_ttl(ttl),
            None => manager,
        };
        manager
            .with_grants(Arc::clone(grants) as Arc<dyn GrantStore>)
            .with_used(Arc::clone(&self.used))
            .with_executors(
                executors(home, self.adapters.clone(), artifacts)
                    .with_credentials(Arc::clone(&self.credentials))
                    .with_hooks(Arc::clone(&self.hooks)),
            )
    }
}

/// What runs tools, with what they replace kept in a home.
fn executors(home: &Home, adapters: Vec<Arc<dyn Adapter>>, artifacts: Arc<ArtifactFolder>) -> Executors {
    let executors = Executors::new(adapters, artifacts);
    #[cfg(target_os = "linux")]
    let executors = executors.with_undo(Arc::new(crate::adapters::undo::UndoFolder::of(home)));
    #[cfg(not(target_os = "linux"))]
    let _ = home;
    executors
}

/// The policies of a home; where they cannot be used, ones that deny everything and say why.
pub(super) fn policy(home: &Home, registry: &Registry) -> PolicyEngine {
    let vocabulary = Vocabulary::new(registry.tools().iter().map(|tool| tool.descriptor()));
    PolicyFiles::Folder(home.policies()).open(&vocabulary)
}

/// The limits of a home, and what earlier runs have used of them.
pub(super) fn used(home: &Home) -> Result<Arc<Used>, HomeManagerError> {
    let limits = load_limits(&home.policies()).map_err(HomeManagerError::Limits)?;
    let used = Used::new(limits);
    if !used.limits().is_empty() {
        let earlier = |e: &dyn std::fmt::Display| HomeManagerError::Earlier(e.to_string());
        let mut runs: Vec<PathBuf> = std::fs::read_dir(home.runs())
            .and_then(|entries| entries.map(|e| e.map(|e| e.path())).collect())
            .map_err(|e| earlier(&e))?;
        runs.retain(|path| path.extension().is_some_and(|e| e == "jsonl"));
        // Ids of runs sort by time.
        runs.sort();
        for run in runs {
            calls::each_event(&run, |event| used.fold(&event.fresh)).map_err(|e| earlier(&e))?;
        }
    }
    Ok(Arc::new(used))
}

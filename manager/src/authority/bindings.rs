//! Which credential a run gets: a fold over what was bound and taken back.
//!
//! A binding is used for exactly what it says. Whatever is missing, over or meant for something else is a no,
//! with the reason; nobody falls back to a credential that is merely there.

use crate::{
    event::Fact,
    model::{CredentialBinding, CredentialBindingId, Credentials, PrincipalId, ToolDescriptor, ToolPattern},
};
use chrono::{DateTime, Utc};

/// The bindings in force, in the order in which they were made.
#[derive(Debug, Clone, Default)]
pub struct Bindings(Vec<CredentialBinding>);

/// Why a run does not get a credential.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("it needs the credential `{name}`, {why}\nhint: {hint}")]
pub struct NotBound {
    /// The credential.
    pub name: String,
    /// Why not.
    pub why: String,
    /// What to do.
    pub hint: String,
}

impl Bindings {
    /// Takes the next fact into account.
    pub fn apply(&mut self, fact: &Fact) {
        match fact {
            Fact::CredentialBound(bound) => self.0.push(bound.binding.clone()),
            Fact::CredentialUnbound(gone) => {
                self.0.retain(|b| b.credential_binding_id != gone.credential_binding_id);
            }
            _ => {}
        }
    }

    /// All that were not taken back; some may have expired.
    pub fn all(&self) -> &[CredentialBinding] {
        &self.0
    }

    /// The binding of that identity.
    pub fn get(&self, id: &CredentialBindingId) -> Option<&CredentialBinding> {
        self.0.iter().find(|b| b.credential_binding_id == *id)
    }

    /// The credential that a tool gets under a name, for a principal: of several the one for the narrowest
    /// tools, and of those the last.
    ///
    /// # Errors
    /// [`NotBound`] if there is none, or it may not be used for this.
    pub fn choose(
        &self,
        name: &str,
        tool: &ToolDescriptor,
        principal: &PrincipalId,
        now: DateTime<Utc>,
    ) -> Result<&CredentialBinding, NotBound> {
        let narrowness = |binding: &CredentialBinding| {
            let covering = binding.tools.iter().filter(|pattern| pattern.covers(&tool.tool_id));
            covering.map(ToolPattern::narrowness).max()
        };
        let own = self.0.iter().filter(|b| b.name == name && b.principal == *principal);
        let best = own.filter_map(|b| Some((narrowness(b)?, b))).max_by_key(|(narrowness, _)| *narrowness);
        let refused = |why: String, hint: String| NotBound { name: name.to_owned(), why, hint };
        let again = format!(
            "`proofhouse credentials bind {name} --from env:{name} --tool {}{}`",
            tool.tool_id,
            tool.credentials.token_audience.iter().map(|a| format!(" --audience {a}")).collect::<String>()
        );
        let Some((_, binding)) = best else {
            let why = format!("which is not bound to this tool for {principal}");
            return Err(refused(why, format!("{again} binds it")));
        };
        match misfit(binding, &tool.credentials, &tool.permissions.required_scopes, now) {
            None => Ok(binding),
            Some(why) => {
                let id = &binding.credential_binding_id;
                Err(refused(format!("and {id} {why}"), format!("{again} binds it anew")))
            }
        }
    }
}

/// What keeps a binding from being used.
fn misfit(
    binding: &CredentialBinding,
    asked: &Credentials,
    scopes: &[String],
    now: DateTime<Utc>,
) -> Option<String> {
    if let Some(at) = binding.expires_at.filter(|at| *at <= now) {
        return Some(format!("expired at {}", at.format("%Y-%m-%d %H:%M:%SZ")));
    }
    let (bound, wanted) = (binding.audience.as_deref(), asked.token_audience.as_deref());
    if bound.map(canonical) != wanted.map(canonical) {
        let told =
            |audience: Option<&str>| audience.map_or("nobody in particular".to_owned(), |a| format!("`{a}`"));
        return Some(format!("is for {}, and the tool would send it to {}", told(bound), told(wanted)));
    }
    // A binding without scopes is not limited to any, unless the contract wants them checked.
    if binding.scopes.is_empty() && !asked.scope_check_required {
        return None;
    }
    let missing = scopes.iter().find(|scope| !binding.scopes.contains(scope))?;
    Some(format!("does not hold the scope `{missing}`"))
}

fn canonical(audience: &str) -> String {
    audience.trim_end_matches('/').to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        event::fact::{CredentialBound, CredentialUnbound},
        model::testing::descriptor,
    };
    use chrono::TimeDelta;

    fn now() -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::days(20_000)
    }

    fn binding(id: &str, tools: &str) -> CredentialBinding {
        CredentialBinding {
            credential_binding_id: id.into(),
            principal: "user:dev".into(),
            name: "TOKEN".to_owned(),
            secret_ref: "env:TOKEN".to_owned(),
            tools: vec![tools.parse().unwrap()],
            scopes: Vec::new(),
            audience: None,
            injection: None,
            expires_at: None,
        }
    }

    fn tool() -> ToolDescriptor {
        let mut tool = descriptor("github.issue.create");
        tool.credentials.required_secrets = vec!["TOKEN".to_owned()];
        tool.permissions.required_scopes = vec!["issues:write".to_owned()];
        tool
    }

    fn folded(bindings: Vec<CredentialBinding>) -> Bindings {
        let mut all = Bindings::default();
        bindings.into_iter().for_each(|binding| all.apply(&CredentialBound { binding }.into()));
        all
    }

    /// CR-08, CR-09, CR-10: bound to principal, tool, scopes, audience and time, and to nothing else.
    #[test]
    fn a_credential_is_used_for_what_it_was_bound_to() {
        let one = || binding("cred_1", "github.*");
        let for_host = |host: &str| CredentialBinding { audience: Some(host.to_owned()), ..one() };
        let scoped = |scope: &str| CredentialBinding { scopes: vec![scope.to_owned()], ..one() };
        let until = |at| CredentialBinding { expires_at: Some(at), ..one() };
        let to_host = |mut tool: ToolDescriptor| {
            tool.credentials.token_audience = Some("api.github.com".to_owned());
            tool
        };
        let checked = |mut tool: ToolDescriptor| {
            tool.credentials.scope_check_required = true;
            tool
        };
        let rows = [
            ("bound", one(), tool(), Ok(())),
            ("not for this tool", binding("cred_1", "gitlab.*"), tool(), Err("not bound to this tool")),
            (
                "under another name",
                CredentialBinding { name: "OTHER".to_owned(), ..one() },
                tool(),
                Err("not bound"),
            ),
            (
                "somebody else's",
                CredentialBinding { principal: "user:eve".into(), ..one() },
                tool(),
                Err("not bound"),
            ),
            (
                "of no name, as in old journals",
                CredentialBinding { name: String::new(), tools: vec![], ..one() },
                tool(),
                Err("not bound"),
            ),
            ("to its host", for_host("api.github.com"), to_host(tool()), Ok(())),
            ("to its host, written otherwise", for_host("API.github.com/"), to_host(tool()), Ok(())),
            (
                "to another host",
                for_host("evil.example"),
                to_host(tool()),
                Err("is for `evil.example`, and the tool would send it to `api.github.com`"),
            ),
            ("to anybody", for_host("api.github.com"), tool(), Err("nobody in particular")),
            ("a local one to a host", one(), to_host(tool()), Err("nobody in particular")),
            ("with its scope", scoped("issues:write"), tool(), Ok(())),
            (
                "with another scope",
                scoped("issues:read"),
                tool(),
                Err("does not hold the scope `issues:write`"),
            ),
            ("scopes are checked, and it has none", one(), checked(tool()), Err("does not hold the scope")),
            ("in time", until(now() + TimeDelta::seconds(1)), tool(), Ok(())),
            ("at its end", until(now()), tool(), Err("expired at 2024-10-04 00:00:00Z")),
        ];
        for (what, binding, tool, expected) in rows {
            let all = folded(vec![binding]);
            let got = all.choose("TOKEN", &tool, &"user:dev".into(), now());
            match (got, expected) {
                (Ok(_), Ok(())) => {}
                (Err(no), Err(part)) => {
                    let no = no.to_string();
                    assert!(
                        no.contains(part) && no.contains("hint: `proofhouse credentials bind TOKEN "),
                        "{what}: {no}"
                    );
                }
                (got, _) => panic!("{what}: {got:?}"),
            }
        }
    }

    #[test]
    fn the_narrowest_wins_and_then_the_last() {
        let all = |ids: [(&str, &str); 3]| folded(ids.map(|(id, tools)| binding(id, tools)).into());
        let rows = [
            ([("a", "*"), ("b", "github.*"), ("c", "gitlab.*")], "b"),
            ([("a", "github.issue.create"), ("b", "github.*"), ("c", "*")], "a"),
            ([("a", "github.*"), ("b", "github.*"), ("c", "*")], "b"),
        ];
        for (ids, expected) in rows {
            let all = all(ids);
            let chosen = all.choose("TOKEN", &tool(), &"user:dev".into(), now()).unwrap();
            assert_eq!(chosen.credential_binding_id.as_str(), expected, "{ids:?}");
        }
    }

    #[test]
    fn what_was_taken_back_is_gone() {
        let mut all = folded(vec![binding("cred_1", "*")]);
        let gone = |id: &str| CredentialUnbound {
            credential_binding_id: id.into(),
            by: "user:dev".into(),
            reason: "rotated".to_owned(),
        };
        all.apply(&gone("cred_2").into());
        assert_eq!(all.all().len(), 1);
        all.apply(&gone("cred_1").into());
        assert!(all.get(&"cred_1".into()).is_none());
        assert!(all.choose("TOKEN", &tool(), &"user:dev".into(), now()).is_err());
    }
}

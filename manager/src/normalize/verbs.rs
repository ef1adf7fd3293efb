//! Which kind of action a name speaks of.
//!
//! A guess from a small list of English verbs, made in the open: it is marked as inferred, and by the floors of
//! the action types it can only raise a level. A name without a known verb gets no action type rather than a
//! wrong one.

use crate::model::ActionType;

/// The action types of the first verb in the name, else in the title, else at the head of the description;
/// without any, reading if that is claimed.
pub(super) fn action_types(
    name: &str,
    title: Option<&str>,
    description: &str,
    claims_read_only: Option<bool>,
) -> Vec<ActionType> {
    let head = words(description).into_iter().next().unwrap_or_default();
    let found = [name, title.unwrap_or_default(), &head].into_iter().map(in_words).find(|a| !a.is_empty());
    match found {
        Some(actions) => actions,
        None if claims_read_only == Some(true) => vec![ActionType::Read],
        None => Vec::new(),
    }
}

/// The first verb, and those that `and` or `or` tie to it.
pub(crate) fn in_words(text: &str) -> Vec<ActionType> {
    let words = words(text);
    let mut actions = Vec::new();
    let mut tied = false;
    for word in &words {
        if let Some(action) = action_of(word)
            && (actions.is_empty() || (tied && !actions.contains(&action)))
        {
            actions.push(action);
        }
        tied = matches!(word.as_str(), "and" | "or");
    }
    actions
}

/// Words in lower case, split at everything that is no letter or digit and where camelCase begins a new one.
pub(crate) fn words(text: &str) -> Vec<String> {
    /// Enough for any name or title; a description is only looked at for its first word.
    const MAX: usize = 12;
    let mut words = vec![String::new()];
    let mut previous_lower = false;
    for character in text.chars() {
        let begins = !character.is_alphanumeric() || (previous_lower && character.is_uppercase());
        if begins && words.last().is_some_and(|word| !word.is_empty()) {
            if words.len() == MAX {
                break;
            }
            words.push(String::new());
        }
        if let (true, Some(word)) = (character.is_alphanumeric(), words.last_mut()) {
            word.extend(character.to_lowercase());
        }
        previous_lower = character.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The action type of a verb in any of its forms.
pub(crate) fn action_of(word: &str) -> Option<ActionType> {
    let third_person = || word.strip_suffix('s').and_then(verb);
    let with_es = || word.strip_suffix("es").and_then(verb);
    verb(word).or_else(third_person).or_else(with_es)
}

fn verb(word: &str) -> Option<ActionType> {
    use ActionType as A;
    Some(match word {
        "get" | "list" | "read" | "fetch" | "show" | "view" | "retrieve" | "return" | "load" | "download"
        | "export" | "head" | "tail" => A::Read,
        "search" | "find" | "query" | "lookup" | "grep" | "filter" | "browse" | "discover" => A::Search,
        "inspect" | "check" | "describe" | "validate" | "verify" | "analyze" | "analyse" | "diff"
        | "compare" | "explain" | "lint" | "audit" => A::Inspect,
        "compute" | "calculate" | "count" | "evaluate" | "estimate" | "solve" => A::Compute,
        "convert" | "transform" | "format" | "parse" | "translate" | "encode" | "decode" | "resize" => {
            A::Transform
        }
        "generate" | "render" | "draw" | "summarize" | "summarise" | "draft" => A::Generate,
        "create" | "add" | "update" | "set" | "write" | "insert" | "append" | "put" | "upload" | "save"
        | "upsert" | "import" | "rename" | "move" | "copy" | "assign" | "enable" | "disable" | "install"
        | "merge" | "commit" | "store" => A::Write,
        "patch" | "edit" | "modify" | "replace" | "apply" => A::Patch,
        "run" | "exec" | "execute" | "invoke" | "trigger" | "start" | "launch" | "eval" | "click"
        | "press" | "navigate" => A::Execute,
        "deploy" | "rollout" | "promote" => A::Deploy,
        "send" | "post" | "publish" | "email" | "notify" | "reply" | "tweet" | "submit" | "push" => {
            A::ExternalSend
        }
        "buy" | "purchase" | "pay" | "checkout" | "refund" => A::Purchase,
        "delete" | "remove" | "drop" | "purge" | "destroy" | "erase" | "wipe" | "clear" | "truncate"
        | "uninstall" | "kill" | "terminate" => A::Delete,
        "grant" | "revoke" | "ban" | "reboot" | "shutdown" | "restart" | "reset" | "rotate" => A::Admin,
        "login" | "logout" | "authenticate" | "authorize" | "signin" => A::Auth,
        "recall" => A::MemoryRead,
        "remember" | "memorize" => A::MemoryWrite,
        "delegate" => A::SubagentDelegate,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_verb_counts() {
        for (name, title, description, expected) in [
            ("get_issue", "", "", "read"),
            ("twilio-create-message", "", "", "write"),
            ("hosting_deployArchive", "", "", "deploy"),
            ("listPullRequests", "", "", "read"),
            ("get_deleted_items", "", "", "read"),
            ("search_and_replace", "", "", "search patch"),
            ("create_or_update_file", "", "", "write"),
            ("kubectl_generic", "", "Execute a command", "execute"),
            ("sequentialthinking", "", "A detailed tool to delete nothing", ""),
            ("x", "Send mail", "Reads", "external_send"),
            ("x", "", "Searches pages", "search"),
            ("fetches", "", "", "read"),
        ] {
            let title = Some(title).filter(|t| !t.is_empty());
            let actions = action_types(name, title, description, None);
            let told: Vec<&str> = actions.iter().map(|a| a.as_str()).collect();
            assert_eq!(told.join(" "), expected, "{name}");
        }
        assert_eq!(action_types("x", None, "", Some(true)), [ActionType::Read]);
        assert_eq!(action_types("x", None, "", Some(false)), []);
    }
}

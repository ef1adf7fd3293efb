//! The verbs by which people order actions, with every kind of action that each can mean.
//!
//! English first, with the commonest words of German, French and Spanish. A word stands here as it looks after
//! [folding](crate::resolve::bm25::words) (no accents, lower case), in the forms in which people order.
//! A verb that can mean nearly anything ("do", "handle", "fix", "get") is left out on purpose: it is no
//! evidence, and the types stay open.

use crate::model::ActionType::{self, *};

/// Verbs that mean the same kinds of action.
pub(super) struct Family {
    words: &'static [&'static str],
    /// Everything that the verb can mean, the likeliest first.
    pub(super) means: &'static [ActionType],
}

/// Looking before acting is always right.
pub(super) const LOOKING: [ActionType; 5] = [Read, Search, Inspect, MemoryRead, Compute];

/// The families. A verb that belongs to two stands in the one that means more.
const FAMILIES: [Family; 11] = [
    Family {
        words: &[
            "show",
            "list",
            "read",
            "find",
            "search",
            "grep",
            "display",
            "view",
            "print",
            "lookup",
            "locate",
            "count",
            "zeig",
            "zeige",
            "liste",
            "lies",
            "suche",
            "finde",
            "montre",
            "affiche",
            "cherche",
            "trouve",
            "lis",
            "muestra",
            "busca",
            "lista",
            "lee",
            "encuentra",
        ],
        means: &[Read, Search, Inspect, MemoryRead, Compute],
    },
    Family {
        words: &[
            "delete", "remove", "rm", "erase", "drop", "purge", "wipe", "nuke", "discard", "losch", "losche",
            "entfern", "entferne", "supprime", "efface", "borra", "elimina", "quita",
        ],
        means: &[Delete, Patch, Write, Admin, ExternalSend, MemoryWrite, Execute],
    },
    Family {
        words: &[
            "rename",
            "move",
            "copy",
            "edit",
            "replace",
            "patch",
            "append",
            "insert",
            "update",
            "modify",
            "verschieb",
            "verschiebe",
            "ersetz",
            "ersetze",
            "andere",
            "deplace",
            "renomme",
            "remplace",
            "modifie",
            "mueve",
            "renombra",
            "reemplaza",
            "cambia",
        ],
        means: &[Patch, Write, Transform, Admin, ExternalSend, MemoryWrite, Execute],
    },
    Family {
        words: &[
            "create",
            "write",
            "generate",
            "regenerate",
            "draft",
            "schreib",
            "schreibe",
            "erstell",
            "erstelle",
            "cree",
            "ecris",
            "genere",
            "crea",
            "escribe",
            "genera",
        ],
        means: &[Write, Generate, Patch, ExternalSend, MemoryWrite, Transform, Execute, Admin],
    },
    Family {
        words: &["run", "rerun", "execute", "test", "relance", "lance", "corre", "ejecuta", "fuhre"],
        means: &[Execute, Transform, Generate, Write, SubagentDelegate, Deploy],
    },
    Family {
        words: &["lint", "format", "reformat", "formatier", "formatiere", "formate", "formatea"],
        means: &[Transform, Execute, Patch, Write],
    },
    Family {
        words: &[
            "send", "email", "mail", "forward", "reply", "schick", "schicke", "sende", "envoie", "envia",
            "manda",
        ],
        means: &[ExternalSend, Write, Execute],
    },
    Family {
        words: &["push", "commit", "amend", "publish", "merge", "close", "reopen", "assign"],
        means: &[ExternalSend, Write, Patch, Execute, Deploy],
    },
    Family {
        words: &["deploy", "ship", "release", "rollback", "deploie", "despliega"],
        means: &[Deploy, ExternalSend, Execute, Admin, Write],
    },
    Family {
        words: &["buy", "purchase", "kauf", "kaufe", "achete", "compra"],
        means: &[Purchase, ExternalSend],
    },
    Family { words: &["remember", "memorize", "recuerda"], means: &[MemoryWrite, Write] },
];

/// Words that may stand before an order without changing it.
const FILLERS: [&str; 16] = [
    "hey", "hi", "hello", "bitte", "mal", "kannst", "kindly", "first", "again", "por", "favor", "puedes",
    "peux", "lets", "mir", "go",
];

/// Words that start another clause.
const CONJUNCTIONS: [&str; 15] = [
    "and", "then", "und", "dann", "et", "puis", "y", "luego", "or", "oder", "ou", "but", "aber", "mais", "&",
];

/// The family of a folded word.
pub(super) fn family(word: &str) -> Option<&'static Family> {
    FAMILIES.iter().find(|family| family.words.contains(&word))
}

pub(super) fn is_filler(word: &str) -> bool {
    FILLERS.contains(&word)
}

pub(super) fn is_conjunction(word: &str) -> bool {
    CONJUNCTIONS.iter().any(|c| c.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_folded_and_stands_in_one_family() {
        let mut seen = std::collections::BTreeSet::new();
        for word in FAMILIES.iter().flat_map(|f| f.words).chain(&FILLERS) {
            let mut folded = Vec::new();
            crate::resolve::bm25::words(word, |w| folded.push(w.to_owned()));
            assert_eq!(folded, [*word]);
            assert!(seen.insert(word), "{word} stands twice");
        }
    }
}

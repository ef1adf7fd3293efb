//! Faults that this manager can be given, so that a judge can be shown to find them.
//!
//! Each mutant is one thing done wrong at one place of the road: `mutant!(NAME)` there is `true` while the fault
//! is switched on. Without the feature `mutants` the macro is the word `false`, and nothing of this module but
//! the macro exists; a build without debug assertions refuses the feature, so no release can have it.

#[cfg(not(feature = "mutants"))]
macro_rules! mutant {
    ($name:ident) => {
        false
    };
}

#[cfg(feature = "mutants")]
macro_rules! mutant {
    ($name:ident) => {
        $crate::mutant::is_on($crate::mutant::Mutant::$name)
    };
}

#[cfg(all(feature = "mutants", not(debug_assertions)))]
compile_error!(
    "the feature `mutants` gives the manager faults on purpose: it is for tests, and no release has it"
);

#[cfg(feature = "mutants")]
pub use switch::{ALL, Mutant, is_on, switch};

#[cfg(feature = "mutants")]
mod switch {
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// The fault that is on, by its place in [`ALL`], counted from 1; 0 is none.
    static ON: AtomicUsize = AtomicUsize::new(0);

    macro_rules! mutants {
        ($($invariant:literal $name:ident $about:literal)*) => {
            /// A fault.
            #[derive(Debug, Clone, Copy, PartialEq, Eq)]
            pub enum Mutant {
                $(#[doc = $about] $name,)*
            }

            /// Every fault, with the invariant that it breaks and what is done wrong.
            pub const ALL: &[(Mutant, u8, &str)] = &[$((Mutant::$name, $invariant, $about),)*];
        };
    }

    mutants! {
        1 UnprovenCallable "what the registry's evidence does not prove may be called"
        1 ContractUnnamed "a request does not say which contract it is for"
        2 ResultTwice "a result is recorded twice"
        2 ResultUnrecorded "a result is not recorded"
        3 ValidationUnrecorded "arguments go to policy, and nobody says that they were validated"
        3 InvalidGoesOn "invalid arguments go on to policy"
        4 PolicyUnrecorded "a call goes on, and nobody says what policy decided"
        4 DenialGoesOn "a denial is recorded, and the call goes on"
        5 NobodyAsked "what policy asks about goes on unasked"
        5 RevocationForgotten "a revoked grant covers calls"
        6 ArgumentsSwapped "other arguments run than were approved"
        6 ExpiryForgotten "an approval never expires"
        7 HiddenShown "an output that is not for the model is shown to it"
        7 SecretsLogged "arguments that are not to be logged are"
        8 OutputLost "an output is not kept"
        8 BudgetForgotten "an output of any size goes into the context"
        9 OriginForgotten "an artifact does not name the event that it comes from"
        9 ArtifactChanged "other bytes are kept than came out"
        10 SandboxUnrecorded "a program starts, and nobody says in which sandbox"
        10 OtherLimits "a program runs by another policy than was resolved"
        11 DriftIgnored "what a server serves anew counts as what was reviewed"
        11 ServedShown "a view shows a contract that was never normalized"
        12 SkillGrants "loading a skill gives rights"
        12 SkillForgotten "a skill's script is registered as anybody's program"
        13 EffectsForgotten "a contract is registered without its effects"
        13 ReachesOut "a run calls out, and its contract does not say so"
        14 ClickIsEnough "a click confirms what must be typed"
        14 ConfirmationForgotten "nobody says that a confirmation was typed"
        15 NoReasons "tools are shown without a reason"
        15 ShownAndDropped "a tool is shown and left out"
        16 ThresholdsForgotten "an evaluation that misses its thresholds counts"
        16 NegativesForgotten "an evaluation without negative prompts counts"
    }

    /// Switches a fault on, for the whole process, or all off.
    pub fn switch(mutant: Option<Mutant>) {
        let place = mutant.and_then(|m| ALL.iter().position(|(other, ..)| *other == m));
        ON.store(place.map_or(0, |at| at + 1), Ordering::SeqCst);
    }

    /// Whether this fault is on.
    pub fn is_on(mutant: Mutant) -> bool {
        let on = ON.load(Ordering::SeqCst);
        on > 0 && ALL[on - 1].0 == mutant
    }
}

//! The lints, a file each.

mod action_contradicts_effects;
mod action_types_missing;
mod approval_too_weak;
mod array_without_items;
mod catch_all_tool;
mod catch_all_unguarded;
mod command_argument_unused;
mod command_runs_anything;
mod command_unusable;
mod confusable_tools;
mod credentials_contradict;
mod default_null_not_allowed;
mod default_violates_schema;
mod delete_not_destructive;
mod description_emoji;
mod description_leftover;
mod description_markup;
mod description_missing;
mod description_outer_whitespace;
mod description_restates_name;
mod description_says_deprecated;
mod description_shouts;
mod description_too_long;
mod description_too_short;
mod destructive_hint_denied;
mod destructive_hint_missing;
mod duplicate_description;
mod effect_hints_missing;
mod enum_unusable;
mod example_violates_schema;
mod external_calls_denied;
mod format_unknown;
pub(in crate::lint) mod hidden_unicode;
mod hides_from_user;
mod hints_contradict;
mod hints_overstate;
mod identity_unusable;
mod input_schema_type_missing;
mod input_schema_unusable;
mod look_alike_name;
mod mixed_read_and_write;
mod mutation_contradicts_effects;
mod name_ambiguous_on_wire;
mod name_collision;
mod name_marked_on_wire;
mod name_outreaches_effects;
mod name_shared;
mod name_starts_with_underscore;
mod output_schema_vacuous;
mod overrides_instructions;
mod parameter_name_unusable;
mod pattern_not_linear;
mod policy_in_description;
mod prompt_markup;
mod prompt_parameter;
mod property_without_type;
mod provenance_missing;
mod read_only_hint_on_writer;
mod ref_dangling;
mod ref_not_local;
mod ref_recursive;
mod request_argument_unused;
mod request_unusable;
mod required_names_unknown_property;
mod required_with_default;
mod risk_understated;
mod sandbox_contradicts_network;
mod sandbox_contradicts_writes;
mod sandbox_egress_open;
mod sandbox_missing;
mod sandbox_roots_too_wide;
mod sandbox_unlimited;
mod schema_too_deep;
mod scopes_missing;
mod secret_parameter;
mod single_wrapper_object;
mod steers_model;
mod title_equals_name;
mod titles_differ;
mod too_many_parameters;
mod tool_too_large;
mod unknown_annotation;
mod unknown_keyword;
mod unknown_neighbour;
mod unknown_tool_field;
mod untrusted_unasked;

use super::Lint;

/// Every lint, by the stage that it belongs to.
pub const ALL: &[&Lint] = &[
    // schema
    &array_without_items::LINT,
    &default_null_not_allowed::LINT,
    &default_violates_schema::LINT,
    &enum_unusable::LINT,
    &example_violates_schema::LINT,
    &format_unknown::LINT,
    &identity_unusable::LINT,
    &input_schema_type_missing::LINT,
    &input_schema_unusable::LINT,
    &name_starts_with_underscore::LINT,
    &output_schema_vacuous::LINT,
    &parameter_name_unusable::LINT,
    &pattern_not_linear::LINT,
    &property_without_type::LINT,
    &ref_dangling::LINT,
    &ref_not_local::LINT,
    &ref_recursive::LINT,
    &required_names_unknown_property::LINT,
    &required_with_default::LINT,
    &schema_too_deep::LINT,
    &single_wrapper_object::LINT,
    &title_equals_name::LINT,
    &titles_differ::LINT,
    &too_many_parameters::LINT,
    &tool_too_large::LINT,
    &unknown_annotation::LINT,
    &unknown_keyword::LINT,
    &unknown_tool_field::LINT,
    // permission
    &action_contradicts_effects::LINT,
    &action_types_missing::LINT,
    &approval_too_weak::LINT,
    &delete_not_destructive::LINT,
    &destructive_hint_denied::LINT,
    &destructive_hint_missing::LINT,
    &effect_hints_missing::LINT,
    &external_calls_denied::LINT,
    &hints_contradict::LINT,
    &hints_overstate::LINT,
    &mixed_read_and_write::LINT,
    &mutation_contradicts_effects::LINT,
    &name_outreaches_effects::LINT,
    &read_only_hint_on_writer::LINT,
    &risk_understated::LINT,
    &scopes_missing::LINT,
    // sandbox
    &command_argument_unused::LINT,
    &command_runs_anything::LINT,
    &command_unusable::LINT,
    &request_argument_unused::LINT,
    &request_unusable::LINT,
    &sandbox_contradicts_network::LINT,
    &sandbox_contradicts_writes::LINT,
    &sandbox_egress_open::LINT,
    &sandbox_missing::LINT,
    &sandbox_roots_too_wide::LINT,
    &sandbox_unlimited::LINT,
    // security
    &catch_all_tool::LINT,
    &catch_all_unguarded::LINT,
    &credentials_contradict::LINT,
    &hidden_unicode::LINT,
    &hides_from_user::LINT,
    &look_alike_name::LINT,
    &name_ambiguous_on_wire::LINT,
    &name_collision::LINT,
    &overrides_instructions::LINT,
    &policy_in_description::LINT,
    &prompt_markup::LINT,
    &prompt_parameter::LINT,
    &provenance_missing::LINT,
    &secret_parameter::LINT,
    &steers_model::LINT,
    &untrusted_unasked::LINT,
    // description
    &confusable_tools::LINT,
    &description_emoji::LINT,
    &description_leftover::LINT,
    &description_markup::LINT,
    &description_missing::LINT,
    &description_outer_whitespace::LINT,
    &description_restates_name::LINT,
    &description_says_deprecated::LINT,
    &description_shouts::LINT,
    &description_too_long::LINT,
    &description_too_short::LINT,
    &duplicate_description::LINT,
    &name_marked_on_wire::LINT,
    &name_shared::LINT,
    &unknown_neighbour::LINT,
];

//! The pattern language of expectations: what arguments must look like.

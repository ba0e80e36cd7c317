//! The door to `waterline::graph!`: everything behind it lives in `planner-dsl`.

/// Compiles the network that follows the path of the runtime and the machine, which stand in parentheses.
#[proc_macro]
pub fn graph_impl(tokens: proc_macro::TokenStream) -> proc_macro::TokenStream {
    planner_dsl::expand(tokens.into()).into()
}

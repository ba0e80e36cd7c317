//! The door to [`graph!`](graph_impl): everything behind it lives in `planner-dsl`.

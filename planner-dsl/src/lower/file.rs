//! Tensors that are read from files.

use super::{Lowering, count, suggest};
use crate::ast::{Expr, ExprKind};
use planner_core::diagnostic::{Diagnostic, Kind};
use planner_core::dtype::DType;
use planner_core::import::array::{Array, ReadError};
use planner_core::import::npy;
use planner_core::import::safetensors::SafeTensors;
use planner_core::model::TensorType;
use planner_core::source::Src;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

/// Most keys that a message lists.
const MAX_KEYS: usize = 20;

/// A tensor of a file, converted.
pub(super) struct Loaded {
    /// Its elements, row-major and little-endian.
    pub(super) bytes: Vec<u8>,
}

/// What `expr` names: a path and a key.
struct Place {
    path: String,
    path_src: Src,
    key: Option<(String, Src)>,
}

impl Lowering<'_> {
    /// The elements of the param of type `ty` in the file that `expr` names.
    pub(super) fn file_bytes(&mut self, expr: &Expr, ty: &TensorType) -> Option<Vec<u8>> {
        let place = self.place(expr)?;
        let file = self.file(&place.path, place.path_src, Kind::Param)?;
        if extension(&place.path) == "bin" {
            if let Some((_, src)) = &place.key {
                return self.fail(keyless(&place, *src));
            }
            return if file.len() == ty.bytes() {
                Some(file.to_vec())
            } else {
                let error =
                    Diagnostic::new(Kind::Param, place.path_src, format!("`{}` has the wrong length", place.path));
                self.fail(error.got(count(file.len(), "byte")).wanted(format!("{} bytes for {ty}", ty.bytes())))
            };
        }
        self.with_array(&place, &file, |this, array| {
            let error = |message: &str| {
                Diagnostic::new(Kind::Param, expr.src, message)
                    .got(array.to_string())
                    .wanted(TensorType::plain(ty.dtype, ty.shape.clone()).to_string())
            };
            match array.convert(ty.dtype) {
                None => {
                    let error = error("the file's element type is not that of the param");
                    this.fail(match ty.dtype {
                        DType::F32 => error.help("save it as f32 or f16"),
                        dtype => error.help(format!("save it as {dtype}")),
                    })
                }
                Some(_) if array.shape() != &*ty.shape => this.fail(error("the file's shape is not that of the param")),
                Some(bytes) => Some(bytes.into_owned()),
            }
        })
    }

    /// The `role` in the file that `expr` names, of `dtype` and with at most one dimension that is not 1.
    pub(super) fn file_array(&mut self, expr: &Expr, dtype: DType, role: &str) -> Option<Loaded> {
        let place = self.place(expr)?;
        let file = self.file(&place.path, place.path_src, Kind::Param)?;
        self.with_array(&place, &file, |this, array| {
            let error = |message: String| Diagnostic::new(Kind::Param, expr.src, message).got(array.to_string());
            let Some(bytes) = array.convert(dtype) else {
                return this.fail(error(format!("{role} in a file are {dtype}")));
            };
            if bytes.is_empty() || array.shape().iter().filter(|&&dim| dim != 1).count() > 1 {
                return this.fail(error(format!("the file's array is no list of {role}")));
            }
            Some(Loaded { bytes: bytes.into_owned() })
        })
    }

    /// The path and key of `expr`, each `{i}` in them replaced by the integer of that name.
    fn place(&mut self, expr: &Expr) -> Option<Place> {
        let ExprKind::File { path, path_src, key } = &expr.kind else { return None };
        let path = self.interpolated(path, *path_src);
        let key = match key {
            Some((key, src)) => Some((self.interpolated(key, *src)?, *src)),
            None => None,
        };
        Some(Place { path: path?, path_src: *path_src, key })
    }

    fn interpolated(&mut self, text: &str, src: Src) -> Option<String> {
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            out += &rest[..at];
            let brace = &rest[at..=at];
            rest = &rest[at + 1..];
            if let Some(after) = rest.strip_prefix(brace) {
                out += brace;
                rest = after;
                continue;
            }
            let Some((name, after)) = rest.split_once('}').filter(|_| brace == "{") else {
                let error = Diagnostic::new(Kind::Syntax, src, format!("`{brace}` without its counterpart"));
                return self.fail(error.help(format!("write `{brace}{brace}` for a brace")));
            };
            let name_expr = Expr { kind: ExprKind::Name(name.into()), src };
            out += &self.int(&name_expr, "what stands in braces")?.to_string();
            rest = after;
        }
        Some(out + rest)
    }

    /// The content of the file `path`, which is named at `src`; a defect is one of `kind`.
    pub(super) fn file(&mut self, path: &str, src: Src, kind: Kind) -> Option<Arc<[u8]>> {
        match self.files.read(path, self.spans.first(src)) {
            Ok(bytes) => Some(bytes),
            Err(error) => match error.diagnostic(path, src, kind) {
                Some(error) => self.fail(error),
                None => {
                    self.out.incomplete = true;
                    None
                }
            },
        }
    }

    /// The arrays of a `.safetensors` file. Its header is read once, however many params come from it.
    fn named_arrays(&mut self, file: &Arc<[u8]>) -> NamedArrays {
        if let Some((_, named)) = self.named_arrays.iter().find(|(known, _)| Arc::ptr_eq(known, file)) {
            return named.clone();
        }
        let named = Rc::new(SafeTensors::read(file.clone()));
        self.named_arrays.push((file.clone(), named.clone()));
        named
    }

    /// Finds the array in the file's bytes and goes on with it.
    fn with_array<T>(
        &mut self,
        place: &Place,
        file: &Arc<[u8]>,
        then: impl FnOnce(&mut Self, Array<'_>) -> Option<T>,
    ) -> Option<T> {
        match extension(&place.path).as_str() {
            "npy" => {
                if let Some((_, src)) = &place.key {
                    return self.fail(keyless(place, *src));
                }
                match npy::read(file) {
                    Ok(array) => then(self, array),
                    Err(error) => self.fail(unreadable(place, &error)),
                }
            }
            "safetensors" => {
                let named = self.named_arrays(file);
                let tensors = match named.as_ref() {
                    Ok(tensors) => tensors,
                    Err(error) => return self.fail(unreadable(place, error)),
                };
                let Some((key, key_src)) = &place.key else {
                    let message = format!("which tensor of `{}`?", place.path);
                    let error = Diagnostic::new(Kind::Param, place.path_src, message);
                    return self.fail(error.wanted(format!("\"{}\"[\"key\"]", place.path)).info(listed_keys(tensors)));
                };
                match tensors.get(key) {
                    Some(Ok(array)) => then(self, array),
                    Some(Err(error)) => self.fail(unreadable(place, &error)),
                    None => {
                        let message = format!("`{}` has no tensor `{key}`", place.path);
                        let error = Diagnostic::new(Kind::Param, *key_src, message).info(listed_keys(tensors));
                        self.fail(suggest(error, key, tensors.keys()))
                    }
                }
            }
            _ => self.fail(
                Diagnostic::new(Kind::Param, place.path_src, format!("the format of `{}` is not known", place.path))
                    .wanted("a name that ends with `.npy`, `.safetensors` or, for params, `.bin`"),
            ),
        }
    }
}

/// The arrays of a `.safetensors` file, whose header has been read.
pub(super) type NamedArrays = Rc<Result<SafeTensors<Arc<[u8]>>, ReadError>>;

fn unreadable(place: &Place, reason: &ReadError) -> Diagnostic {
    let error = Diagnostic::new(Kind::Param, place.path_src, format!("cannot read `{}`", place.path));
    let error = error.info(reason.to_string());
    if *reason == ReadError::ColumnMajor { error.help("save `numpy.ascontiguousarray(array)`") } else { error }
}

fn keyless(place: &Place, src: Src) -> Diagnostic {
    Diagnostic::new(Kind::Param, src, format!("`{}` holds one array and has no keys", place.path))
        .help(format!("write \"{}\" alone", place.path))
}

fn extension(path: &str) -> String {
    Path::new(path).extension().map_or(String::new(), |extension| extension.to_string_lossy().to_lowercase())
}

fn listed_keys(tensors: &SafeTensors<Arc<[u8]>>) -> String {
    let mut keys: Vec<&str> = tensors.keys().collect();
    keys.sort_unstable();
    let more = keys.len().saturating_sub(MAX_KEYS);
    let listed: Vec<String> = keys.iter().take(MAX_KEYS).map(|key| format!("`{key}`")).collect();
    match (keys.len(), more) {
        (0, _) => "it has none".into(),
        (_, 0) => format!("it has {}", listed.join(", ")),
        _ => format!("it has {} and {more} more", listed.join(", ")),
    }
}

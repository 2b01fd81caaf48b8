//! Elements to those of another byte order or layout, byte by byte: what is a value stays the same value.

use npymap::{ByteOrder, DType};

use crate::parse::{Column, columns};

/// How elements of one dtype become those of another.
pub struct Converter {
    from: usize,
    to: usize,
    moves: Vec<Move>,
}

/// A scalar, in parts that each have a byte order.
struct Move {
    from: usize,
    to: usize,
    size: usize,
    part: usize,
    swapped: bool,
}

impl Converter {
    /// Finds the way from one dtype to another that differs in byte orders and offsets only; `None` if they differ in
    /// more.
    pub fn new(from: &DType, to: &DType) -> Option<Self> {
        let (sources, targets) = (columns(from), columns(to));
        if sources.len() != targets.len() {
            return None;
        }
        let moves = sources.iter().zip(&targets).map(|(source, target)| Move::new(source, target));
        Some(Self { from: from.itemsize(), to: to.itemsize(), moves: moves.collect::<Option<_>>()? })
    }

    /// Adds converted elements to `out`; padding becomes zeros.
    pub fn convert(&self, elements: &[u8], out: &mut Vec<u8>) {
        let sources = elements.chunks_exact(self.from.max(1));
        let start = out.len();
        out.resize(start + sources.len() * self.to, 0);
        for (source, target) in sources.zip(out[start..].chunks_exact_mut(self.to.max(1))) {
            for Move { from, to, size, part, swapped } in &self.moves {
                let place = &mut target[*to..to + size];
                place.copy_from_slice(&source[*from..from + size]);
                if *swapped {
                    place.chunks_exact_mut(*part).for_each(<[u8]>::reverse);
                }
            }
        }
    }
}

impl Move {
    fn new(source: &Column, target: &Column) -> Option<Self> {
        let order = target.dtype.byte_order().unwrap_or(ByteOrder::Little);
        if source.name != target.name || in_order(&source.dtype, order) != target.dtype {
            return None;
        }
        let size = source.dtype.itemsize();
        let part = match source.dtype {
            DType::Complex64(_) | DType::Complex128(_) | DType::ComplexLongDouble(_) => size / 2,
            DType::Str(..) => 4,
            _ => size,
        };
        let swapped = source.dtype.byte_order() != target.dtype.byte_order() && part > 0;
        Some(Self { from: source.offset, to: target.offset, size, part, swapped })
    }
}

/// The same scalar in this byte order.
fn in_order(dtype: &DType, order: ByteOrder) -> DType {
    match *dtype {
        DType::Int16(_) => DType::Int16(order),
        DType::UInt16(_) => DType::UInt16(order),
        DType::Int32(_) => DType::Int32(order),
        DType::UInt32(_) => DType::UInt32(order),
        DType::Int64(_) => DType::Int64(order),
        DType::UInt64(_) => DType::UInt64(order),
        DType::Float16(_) => DType::Float16(order),
        DType::Float32(_) => DType::Float32(order),
        DType::Float64(_) => DType::Float64(order),
        DType::LongDouble(_) => DType::LongDouble(order),
        DType::Complex64(_) => DType::Complex64(order),
        DType::Complex128(_) => DType::Complex128(order),
        DType::ComplexLongDouble(_) => DType::ComplexLongDouble(order),
        DType::Datetime64(_, unit) => DType::Datetime64(order, unit),
        DType::Timedelta64(_, unit) => DType::Timedelta64(order, unit),
        DType::Str(_, size) => DType::Str(order, size),
        ref other => other.clone(),
    }
}

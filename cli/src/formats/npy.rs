//! The header of an `.npy` file, byte for byte as NumPy 2.4 writes it for an array in C order.

use npymap::DType;

use crate::source::shape_text;

/// Digits that the length of the first axis has room for.
const GROWTH: usize = 21;

/// Where data are aligned to.
const ALIGNMENT: usize = 64;

/// NumPy's limit on dimensions.
const MAX_DIMENSIONS: usize = 64;

/// Returns the magic string, the version, the length, and the text.
pub fn header(dtype: &DType, shape: &[usize]) -> Result<Vec<u8>, String> {
    if shape.len() > MAX_DIMENSIONS {
        return Err(format!("{} dimensions, and NumPy reads at most {MAX_DIMENSIONS}", shape.len()));
    }
    let mut text = format!("{{'descr': {}, 'fortran_order': False, 'shape': {}, }}", dtype.descr(), shape_text(shape));
    if let Some(rows) = shape.first() {
        text.push_str(&" ".repeat(GROWTH.saturating_sub(rows.to_string().len())));
    }
    let latin1: Option<Vec<u8>> = text.chars().map(|character| u8::try_from(u32::from(character)).ok()).collect();
    let file = match latin1 {
        Some(text) => with_text(1, &text).or_else(|| with_text(2, &text)),
        None => with_text(3, text.as_bytes()),
    };
    file.ok_or_else(|| "the header is longer than 4 GiB".into())
}

/// The header of a version, if the version has room for the text.
fn with_text(version: u8, text: &[u8]) -> Option<Vec<u8>> {
    let field = if version == 1 { 2 } else { 4 };
    let unpadded = 8 + field + text.len() + 1;
    // From 1 to 64 spaces, never none.
    let padding = ALIGNMENT - unpadded % ALIGNMENT;
    let length = text.len() + 1 + padding;
    let mut file = b"\x93NUMPY".to_vec();
    file.extend([version, 0]);
    match version {
        1 => file.extend(u16::try_from(length).ok()?.to_le_bytes()),
        _ => file.extend(u32::try_from(length).ok()?.to_le_bytes()),
    }
    file.extend_from_slice(text);
    file.resize(file.len() + padding, b' ');
    file.push(b'\n');
    Some(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_is_never_empty_and_data_are_aligned() {
        for rows in 0..200 {
            let shape = vec![10_usize.pow(5); rows % 20];
            let file = header(&DType::Int8, &shape).unwrap();
            assert!(file.len().is_multiple_of(64) && file.ends_with(b" \n"));
        }
    }

    #[test]
    fn long_texts_take_version_2_and_foreign_names_version_3() {
        let record = |name: &str| DType::from_descr(&format!("[('{name}', '<i4')]")).unwrap();
        assert_eq!(header(&record("é"), &[]).unwrap()[6], 1);
        assert_eq!(header(&record("整"), &[]).unwrap()[6], 3);
        assert_eq!(header(&record(&"a".repeat(70_000)), &[]).unwrap()[6], 2);
    }
}

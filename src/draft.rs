//! New arrays that have no name yet. Knows headers and unnamed files.

use std::ops::{Deref, DerefMut};
use std::path::Path;

use crate::element::Element;
use crate::storage::{Taken, Unnamed};
use crate::stored::Stored;
use crate::{DType, Npy, NpyAny, Result, WriteOptions};

/// A new array that has no name yet: really allocated, zeros at first, mapped where the system can map what nobody else
/// can open, and filled through `&mut [T]` without `unsafe`.
///
/// [`publish`](Self::publish) gives it its name, at once and durably: no reader sees a part of it, and whoever is killed
/// before leaves nothing behind, neither a file nor space that is taken. It derefs to [`Npy`], whose ways to write it has.
///
/// Because the space is allocated first, a full disk is an error here. On copy-on-write file systems (btrfs, ZFS) that
/// holds for the first time a page is written back; there, fill memory and [`save`](crate::save) it where the disk may
/// become full meanwhile.
///
/// # Example
///
/// ```
/// use npymap::{Draft, Npy};
///
/// # let folder = tempfile::tempdir().expect("a folder");
/// # let path = folder.path().join("table.npy");
/// let mut table = Draft::<f32>::new(&path, [1000, 3])?;
/// for (i, row) in table.rows_mut()?.enumerate() {
///     row.fill(i as f32);
/// }
/// assert!(!path.exists());
/// table.publish()?;
/// assert_eq!(Npy::<f32>::read(&path)?[17], [17.0; 3]);
/// # Ok::<(), npymap::Error>(())
/// ```
#[derive(Debug)]
#[doc(alias = "open_memmap")]
#[doc(alias = "empty")]
#[doc(alias = "zeros")]
pub struct Draft<T: Element> {
    array: Npy<T, Unnamed>,
    options: WriteOptions,
}

/// A [`Draft`] whose dtype is known at run time. It derefs to [`NpyAny`].
#[derive(Debug)]
pub struct DraftAny {
    array: NpyAny<Unnamed>,
    options: WriteOptions,
}

impl<T: Element> Draft<T> {
    /// Makes an array of zeros that is to become the file `path`. An array type adds its axes to the shape.
    ///
    /// # Errors
    ///
    /// [`Error::NoSpace`](crate::Error::NoSpace), [`Error::Io`](crate::Error::Io); as [`Header::new`](crate::Header::new).
    pub fn new(path: impl AsRef<Path>, shape: impl Into<Vec<usize>>) -> Result<Self> {
        WriteOptions::new().draft(path, shape)
    }

    /// Gives the file its name.
    ///
    /// # Errors
    ///
    /// [`Error::AlreadyExists`](crate::Error::AlreadyExists) if there is one of that name: of two that race, one wins.
    /// [`Error::Io`](crate::Error::Io), [`Error::NoSpace`](crate::Error::NoSpace). The draft is gone then;
    /// [`try_publish`](Self::try_publish) gives it back.
    pub fn publish(self) -> Result<()> {
        self.into_any().publish()
    }

    /// Gives the file its name, as [`publish`](Self::publish) does, or gives the draft back with the error.
    ///
    /// # Errors
    ///
    /// As [`publish`](Self::publish). There is no draft any more if the file has got its name, and only that couldn't be
    /// made durable.
    ///
    /// # Example
    ///
    /// ```
    /// use npymap::{Draft, Error, save};
    ///
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let path = folder.path().join("table.npy");
    /// let table = Draft::<f32>::new(&path, [1000, 3])?;
    /// save(&path, [1], &[0.0])?;                       // somebody else was faster
    /// match table.try_publish() {
    ///     Err((Error::AlreadyExists { .. }, Some(table))) => table.publish_over()?,
    ///     Err((error, _)) => return Err(error),
    ///     Ok(()) => {}
    /// }
    /// # Ok::<(), npymap::Error>(())
    /// ```
    #[expect(clippy::result_large_err, reason = "the draft itself")]
    pub fn try_publish(self) -> Result<(), (crate::Error, Option<Self>)> {
        let durable = self.options.durable;
        name_or_give_back(self, durable, |draft| draft.array.owner_mut())
    }

    fn into_any(self) -> DraftAny {
        DraftAny { array: self.array.into_any(), options: self.options }
    }

    /// Gives the file its name, in the place of the one that has it, whose mode it takes over. Those who have that one
    /// open keep it.
    ///
    /// # Errors
    ///
    /// [`Error::Locked`](crate::Error::Locked) if somebody is appending to it; [`Error::Io`](crate::Error::Io),
    /// [`Error::NoSpace`](crate::Error::NoSpace).
    pub fn publish_over(self) -> Result<()> {
        self.into_any().publish_over()
    }
}

/// Gives the file of a draft its name, or gives the draft back with the error, unless it has got one.
fn name_or_give_back<D>(
    mut draft: D,
    durable: bool,
    file: impl Fn(&mut D) -> &mut Unnamed,
) -> Result<(), (crate::Error, Option<D>)> {
    // The draft is dropped after its file has got a name, and its array isn't looked at before.
    match file(&mut draft).name(Taken::Refuse, durable) {
        Ok(()) => Ok(()),
        Err(error) if file(&mut draft).is_named() => Err((error, None)),
        Err(error) => Err((error, Some(draft))),
    }
}

impl DraftAny {
    /// Makes an array of zeros that is to become the file `path`.
    ///
    /// # Errors
    ///
    /// As [`Draft::new`]; [`Error::Object`](crate::Error::Object).
    pub fn new(path: impl AsRef<Path>, dtype: DType, shape: impl Into<Vec<usize>>) -> Result<Self> {
        WriteOptions::new().draft_any(path, dtype, shape)
    }

    /// Gives the file its name, as [`Draft::publish`] does.
    ///
    /// # Errors
    ///
    /// As [`Draft::publish`].
    pub fn publish(mut self) -> Result<()> {
        self.array.owner_mut().name(Taken::Refuse, self.options.durable)
    }

    /// Gives the file its name, or gives the draft back with the error, as [`Draft::try_publish`] does.
    ///
    /// # Errors
    ///
    /// As [`Draft::publish`].
    #[expect(clippy::result_large_err, reason = "the draft itself")]
    pub fn try_publish(self) -> Result<(), (crate::Error, Option<Self>)> {
        let durable = self.options.durable;
        name_or_give_back(self, durable, |draft| draft.array.owner_mut())
    }

    /// Gives the file its name, in the place of the one that has it, as [`Draft::publish_over`] does.
    ///
    /// # Errors
    ///
    /// As [`Draft::publish_over`].
    pub fn publish_over(mut self) -> Result<()> {
        self.array.owner_mut().name(Taken::Replace, self.options.durable)
    }
}

impl WriteOptions {
    /// Makes an array of zeros that is to become the file `path`.
    ///
    /// # Errors
    ///
    /// As [`Draft::new`]; the errors of a dtype that isn't `T`'s in place.
    pub fn draft<T: Element>(&self, path: impl AsRef<Path>, shape: impl Into<Vec<usize>>) -> Result<Draft<T>> {
        let stored = Stored::of::<T>(self.dtype.as_ref())?;
        let shape = stored.shape(shape.into(), self.order)?;
        let DraftAny { array, options } = self.draft_any(path, stored.dtype().clone(), shape)?;
        Ok(Draft { array: array.into_typed()?, options })
    }

    /// Makes an array of zeros that is to become the file `path`.
    ///
    /// # Errors
    ///
    /// As [`DraftAny::new`].
    pub fn draft_any(&self, path: impl AsRef<Path>, dtype: DType, shape: impl Into<Vec<usize>>) -> Result<DraftAny> {
        let (header, head) = self.header(&dtype, shape.into())?;
        header.refuse_objects()?;
        let bytes = Unnamed::create(path.as_ref(), &head, header.nbytes())?;
        Ok(DraftAny { array: NpyAny::new(header, bytes, 0)?, options: self.clone() })
    }
}

impl<T: Element> Deref for Draft<T> {
    type Target = Npy<T, Unnamed>;

    fn deref(&self) -> &Npy<T, Unnamed> {
        &self.array
    }
}

impl<T: Element> DerefMut for Draft<T> {
    fn deref_mut(&mut self) -> &mut Npy<T, Unnamed> {
        &mut self.array
    }
}

impl Deref for DraftAny {
    type Target = NpyAny<Unnamed>;

    fn deref(&self) -> &NpyAny<Unnamed> {
        &self.array
    }
}

impl DerefMut for DraftAny {
    fn deref_mut(&mut self) -> &mut NpyAny<Unnamed> {
        &mut self.array
    }
}

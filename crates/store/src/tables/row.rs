//! Declares a table once: for Diesel, as the struct of its rows, with both conversions between a row and a value of the
//! domain, and with what writes the row by its key and revision.

use crate::error::JobError;

/// A value of the domain that is stored as a row.
pub(crate) trait Stored {
    type Table;
    type Row;

    /// Returns the table, to insert the row.
    fn table(&self) -> Self::Table;

    fn row(&self) -> Result<Self::Row, JobError>;
}

/// A value of the domain whose row is replaced and removed only if it still has the revision that was loaded.
pub(crate) trait Revised: Stored {
    type Current;

    /// Selects the row by its key, in the order in which `row!` names the columns, and by the revision of the value.
    fn current(&self) -> Result<Self::Current, JobError>;

    /// Returns the row with the next revision, which replaces the current one.
    fn next_row(&self) -> Result<Self::Row, JobError>;
}

/// Declares a table with its row. How a column is converted follows from its types: see
/// [`ColumnValue`](super::column::ColumnValue).
///
/// ```text
/// row! {
///     // The key, and the revision if the row is replaced and removed by both.
///     struct ExampleRow for Example in examples (id; revision) {
///         // The column and the field have the same name.
///         id -> Uid,
///         // The field `owner` has another name than its column.
///         owner: owner_id -> Uid,
///         // The field `part` is a struct, with one column for each of its fields.
///         part = Part { size -> BigInt, color -> Nullable<Text> },
///     }
///     // Columns whose values are expressions over the value of the domain.
///     store |example| { state -> Text = example.state.name() }
///     // Fields whose values are expressions over the columns, by their names.
///     load { state = parse_state(&state)? }
///     // Columns of the table that are not part of the row.
///     others { deleted_at -> Nullable<Instant> }
/// }
/// ```
macro_rules! row {
    (
        $(#[$meta:meta])*
        struct $Row:ident for $Value:ident in $table:ident ($($key:ident),+ $(; $revision:ident)?) {
            $(
                $(#[$column_meta:meta])*
                $name:ident
                $(-> $sql:ty)?
                $(: $column:ident -> $column_sql:ty)?
                $(= $Part:ident {
                    $($part:ident $(-> $part_sql:ty)? $(: $part_column:ident -> $part_column_sql:ty)?),+ $(,)?
                })?
            ),+ $(,)?
        }
        $(store |$value:ident| {
            $($(#[$stored_meta:meta])* $stored:ident -> $stored_sql:ty = $store:expr),+ $(,)?
        })?
        $(load { $($loaded:ident = $load:expr),+ $(,)? })?
        $(others { $($other:ident -> $other_sql:ty),+ $(,)? })?
    ) => {
        $crate::tables::row::table! {
            $table ($($key),+) {
                $(
                    $($name -> $sql,)?
                    $($column -> $column_sql,)?
                    $($($($part -> $part_sql,)? $($part_column -> $part_column_sql,)?)+)?
                )+
                $($($stored -> $stored_sql,)+)?
                $($($other -> $other_sql,)+)?
            }
        }

        $(#[$meta])*
        #[derive(diesel::Queryable, diesel::Selectable, diesel::Insertable, diesel::AsChangeset)]
        #[diesel(table_name = $table, primary_key($($key),+), treat_none_as_null = true)]
        pub(crate) struct $Row {
            $(
                $(#[$column_meta])*
                $(pub(crate) $name: $crate::tables::ValueOf<$sql>,)?
                $(pub(crate) $column: $crate::tables::ValueOf<$column_sql>,)?
                $($(
                    $(pub(crate) $part: $crate::tables::ValueOf<$part_sql>,)?
                    $(pub(crate) $part_column: $crate::tables::ValueOf<$part_column_sql>,)?
                )+)?
            )+
            $($($(#[$stored_meta])* pub(crate) $stored: $crate::tables::ValueOf<$stored_sql>,)+)?
        }

        impl TryFrom<$Row> for $Value {
            type Error = $crate::error::JobError;

            fn try_from(row: $Row) -> Result<Self, Self::Error> {
                use $crate::tables::{ColumnValue, ValueOf};

                $(
                    $(let $name: ValueOf<$sql> = row.$name;)?
                    $(let $column: ValueOf<$column_sql> = row.$column;)?
                    $($(
                        $(let $part: ValueOf<$part_sql> = row.$part;)?
                        $(let $part_column: ValueOf<$part_column_sql> = row.$part_column;)?
                    )+)?
                )+
                $($(
                    let $stored: ValueOf<$stored_sql> = row.$stored;
                    // The column may have no field.
                    let _ = &$stored;
                )+)?
                Ok(Self {
                    $($name: {
                        $(<ValueOf<$sql> as ColumnValue<_>>::load($name)?)?
                        $(<ValueOf<$column_sql> as ColumnValue<_>>::load($column)?)?
                        $($Part {
                            $($part: {
                                $(<ValueOf<$part_sql> as ColumnValue<_>>::load($part)?)?
                                $(<ValueOf<$part_column_sql> as ColumnValue<_>>::load($part_column)?)?
                            },)+
                        })?
                    },)+
                    $($($loaded: $load,)+)?
                })
            }
        }

        impl TryFrom<&$Value> for $Row {
            type Error = $crate::error::JobError;

            fn try_from(value: &$Value) -> Result<Self, Self::Error> {
                use $crate::tables::{ColumnValue, ValueOf};

                $(let $value = value;)?
                Ok(Self {
                    $(
                        $($name: <ValueOf<$sql> as ColumnValue<_>>::store(&value.$name)?,)?
                        $($column: <ValueOf<$column_sql> as ColumnValue<_>>::store(&value.$name)?,)?
                        $($(
                            $($part: <ValueOf<$part_sql> as ColumnValue<_>>::store(&value.$name.$part)?,)?
                            $($part_column: <ValueOf<$part_column_sql> as ColumnValue<_>>::store(&value.$name.$part)?,)?
                        )+)?
                    )+
                    $($($stored: $store,)+)?
                })
            }
        }

        impl $crate::tables::Stored for $Value {
            type Table = $table::table;
            type Row = $Row;

            fn table(&self) -> $table::table {
                $table::table
            }

            fn row(&self) -> Result<$Row, $crate::error::JobError> {
                $Row::try_from(self)
            }
        }

        $crate::tables::row::revised!($Row, $Value, $table ($($key),+) $($revision)?);
    };
}

/// Implements [`Revised`] for the value of a row that has a revision.
macro_rules! revised {
    ($Row:ident, $Value:ident, $table:ident ($($key:ident),+)) => {};
    ($Row:ident, $Value:ident, $table:ident ($($key:ident),+) $revision:ident) => {
        impl $crate::tables::Revised for $Value {
            type Current = diesel::dsl::Filter<
                diesel::dsl::Find<
                    $table::table,
                    $crate::tables::ValueOf<diesel::dsl::SqlTypeOf<<$table::table as diesel::Table>::PrimaryKey>>,
                >,
                diesel::dsl::Eq<$table::$revision, i64>,
            >;

            fn current(&self) -> Result<Self::Current, $crate::error::JobError> {
                use diesel::{ExpressionMethods as _, QueryDsl as _};

                let key = ($(
                    <$crate::tables::ValueOf<diesel::dsl::SqlTypeOf<$table::$key>> as $crate::tables::ColumnValue<_>>
                        ::store(&self.$key)?
                ),+);
                Ok($table::table.find(key).filter($table::$revision.eq(self.$revision.0)))
            }

            fn next_row(&self) -> Result<$Row, $crate::error::JobError> {
                let row = $Row::try_from(self)?;
                Ok($Row { $revision: row.$revision + 1, ..row })
            }
        }
    };
}

/// Declares a table, whose columns have types of Diesel and of the store.
macro_rules! table {
    ($($table:tt)+) => {
        diesel::table! {
            use diesel::sql_types::*;
            use $crate::sql_types::*;

            $($table)+
        }
    };
}

pub(crate) use {revised, row, table};

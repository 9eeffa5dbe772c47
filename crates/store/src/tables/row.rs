//! Declares a table once: for Diesel, as the struct of its rows, and with both conversions between a row and a value of
//! the domain.

/// Declares a table with its row. How a column is converted follows from its types: see
/// [`ColumnValue`](super::column::ColumnValue).
///
/// ```text
/// row! {
///     struct ExampleRow for Example in examples (id) {
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
        struct $Row:ident for $Value:ident in $table:ident ($($key:ident),+) {
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
        diesel::table! {
            use diesel::sql_types::*;
            use $crate::sql_types::*;

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
    };
}

pub(crate) use row;

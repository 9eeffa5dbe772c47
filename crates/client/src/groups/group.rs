//! How groups of operations are declared: the name of a method, the parameters that it adds, and the operation.

use std::fmt::Display;

use crate::Client;

/// What the operations of a group have in common.
#[derive(Debug, Clone)]
pub(crate) struct Group {
    pub(crate) client: Client,
    /// Whether the group is in the second of two places. Those of webhooks are teams and projects.
    pub(crate) is_second: bool,
    /// The first parameters of each path.
    ids: Vec<String>,
}

impl Group {
    pub(crate) fn new(client: &Client, is_second: bool, ids: &[&dyn Display]) -> Self {
        Self { client: client.clone(), is_second, ids: ids.iter().map(ToString::to_string).collect() }
    }

    /// Returns the parameters of a path that ends with others.
    pub(crate) fn parameters<'a>(&'a self, others: &[&'a dyn Display]) -> Vec<&'a dyn Display> {
        self.ids.iter().map(|id| -> &dyn Display { id }).chain(others.iter().copied()).collect()
    }
}

/// Declares groups: the name, the method of [`Client`] that returns the group, with the first parameters of its paths,
/// and what its operations are about. A group that exists in two places has two such methods. Then, for each operation,
/// documentation and a method: the other parameters of the path; after a semicolon, parameters with their types; the
/// operation, after `list` if it is read in pages, and the one in the second place; what the method does with the
/// `Call` or `List`. Another number of parameters than the path has does not compile.
macro_rules! groups {
    ($(
        $(#[doc = $also:literal])*
        $group:ident: $first:ident($($first_id:ident),*) of $first_of:literal
        $(| $second:ident($($second_id:ident),*) of $second_of:literal)? {
            $(
                $(#[doc = $text:literal])+
                $name:ident $parameters:tt => $($operation:ident)+ $(| $other:ident)? $(.$change:ident $arguments:tt)*;
            )+
        }
    )+) => {
        $(
            #[doc = concat!("Operations of ", $first_of, $(", or of ", $second_of,)? ".")]
            $(#[doc = $also])*
            #[derive(Debug, Clone)]
            pub struct $group($crate::groups::group::Group);

            impl $crate::Client {
                #[doc = concat!("Returns the operations of ", $first_of, ".")]
                pub fn $first(&self, $($first_id: impl std::fmt::Display),*) -> $group {
                    $group($crate::groups::group::Group::new(self, false, &[$(&$first_id),*]))
                }

                $(
                    #[doc = concat!("Returns the operations of ", $second_of, ".")]
                    pub fn $second(&self, $($second_id: impl std::fmt::Display),*) -> $group {
                        $group($crate::groups::group::Group::new(self, true, &[$(&$second_id),*]))
                    }
                )?
            }

            impl $group {
                /// The number of parameters that all paths in the first place have.
                const IDS: usize = <[&str]>::len(&[$(stringify!($first_id)),*]);

                $($crate::groups::group::method! {
                    [$group [$($text)+] $name $parameters] $($operation)+ $(| $other)?; $(.$change $arguments)*
                })+
            }
        )+
    };
}

/// The method of one operation.
macro_rules! method {
    ($method:tt list $first:ident $($rest:tt)+) => {
        $crate::groups::group::method! { @ $method list ListOf $first $($rest)+ }
    };
    ($method:tt $first:ident $($rest:tt)+) => {
        $crate::groups::group::method! { @ $method call CallOf $first $($rest)+ }
    };
    (@ [$group:ident $text:tt $name:ident ($($argument:ident: $type:ty),+)] $($rest:tt)+) => {
        $crate::groups::group::method! { @ [$group $text $name (; $($argument: $type),+)] $($rest)+ }
    };
    (
        @ [$group:ident [$($text:literal)+] $name:ident ($($id:ident),* $(; $($argument:ident: $type:ty),+)?)]
        $kind:ident $result:ident $first:ident $(| $second:ident)?; $($change:tt)*
    ) => {
        $(#[doc = $text])+
        #[doc = concat!(
            "\n\nSee [`", stringify!($first), "`](crate::", stringify!($first), ")"
            $(, " and [`", stringify!($second), "`](crate::", stringify!($second), ")")?, "."
        )]
        pub fn $name(
            &self,
            $($id: impl std::fmt::Display,)*
            $($($argument: $type),+)?
        ) -> $crate::$result<steward_api::$first> {
            const _: () = assert!(
                $crate::call::parameters(<steward_api::$first as steward_api::Operation>::ROW.path.as_bytes())
                    == $group::IDS + <[&str]>::len(&[$(stringify!($id)),*])
            );
            let group = &self.0;
            let ids = group.parameters(&[$(&$id),*]);
            let start = || group.client.$kind::<steward_api::$first>(&ids);
            $(let start = || if group.is_second { group.client.$kind::<steward_api::$second>(&ids) } else { start() };)?
            start() $($change)*
        }
    };
}

pub(crate) use {groups, method};

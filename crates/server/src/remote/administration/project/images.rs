//! `steward project image`.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde_json::json;
use steward_client::ImageKind;

use crate::remote::command::by_hand;
use crate::remote::{Context, ProjectOption, Remote};

by_hand! {
    ImageCommand {
        /// List the uploaded icon and background
        List(Remote<ProjectOption>) => list,
        /// Upload a PNG, JPEG, WebP or GIF image, which anyone who knows its URL can read
        #[command(after_help = "Examples:\n  steward project image upload icon logo.png --project rocket\n  \
            steward project image upload background sky.webp")]
        Upload(Remote<UploadImage>) => upload,
        /// Delete an image
        #[command(after_help = "Examples:\n  steward project image delete icon --yes")]
        Delete(Remote<DeleteImage>) => delete,
    }
}

#[derive(Debug, Args)]
pub struct UploadImage {
    /// What the image is used as
    #[arg(value_parser = kinds())]
    kind: ImageKind,
    /// File with the image
    file: PathBuf,
    #[command(flatten)]
    project: ProjectOption,
}

#[derive(Debug, Args)]
pub struct DeleteImage {
    /// Image to delete
    #[arg(value_parser = kinds())]
    kind: ImageKind,
    #[command(flatten)]
    project: ProjectOption,
}

/// Returns what an image is used as, by the name of that.
fn kinds() -> impl TypedValueParser<Value = ImageKind> {
    let kinds = [ImageKind::Icon, ImageKind::Background];
    PossibleValuesParser::new(kinds.map(ImageKind::as_str))
        .try_map(move |name| kinds.into_iter().find(|kind| kind.as_str() == name).ok_or("unknown"))
}

async fn list(context: &Context, arguments: ProjectOption) -> anyhow::Result<()> {
    let id = context.project_id(arguments.project.as_deref()).await?;
    let images = context.client.images(&id).list().json().await?.images;
    let mut entries = Vec::new();
    let icon = images.icon.map(|icon| (ImageKind::Icon, icon.file, icon.icon_url));
    let background = images.background.map(|image| (ImageKind::Background, image.file, image.background_url));
    for (kind, file, url) in icon.into_iter().chain(background) {
        entries.push(json!({
            "kind": kind.as_str(),
            "content_type": file.content_type,
            "size": file.size,
            "uploaded_at": file.last_modified,
            "url": url,
        }));
    }
    context.output.list(&entries, &["kind", "content_type", "size", "uploaded_at", "url"])
}

async fn upload(context: &Context, arguments: UploadImage) -> anyhow::Result<()> {
    let file = &arguments.file;
    let image = std::fs::read(file).with_context(|| format!("Cannot read {}", file.display()))?;
    let id = context.project_id(arguments.project.project.as_deref()).await?;
    let kind = arguments.kind;
    let url = context.client.images(&id).upload(kind, &image).await?;
    context.output.entry(&json!({"kind": kind.as_str(), "url": url}))
}

async fn delete(context: &Context, arguments: DeleteImage) -> anyhow::Result<()> {
    let id = context.project_id(arguments.project.project.as_deref()).await?;
    let kind = arguments.kind;
    context.confirm(&format!("Delete the {}?", kind.as_str()))?;
    context.client.images(&id).delete(kind).done().await?;
    let entry = json!({"kind": kind.as_str(), "deleted": true});
    context.output.done(&format!("The {} is deleted.", kind.as_str()), &entry)
}

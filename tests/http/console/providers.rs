//! The pages of identity providers.

use steward_tests::{World, on_both};

use super::{project_of, signed_in};

on_both! {
    async fn the_form_of_a_provider_that_was_deleted_is_not_found(app: &App) {
        let world = World::make(app, "acme").await;
        let (owner, pages) = (signed_in(app, "acme-owner").await, format!("{}/providers", project_of(&world)));
        let new = format!("{pages}/new");
        let form = owner.open(&new).await;
        let id = form.form(&new).fields.iter().find(|(name, _)| name == "id").unwrap().1.clone();
        let values = [("kind", "google"), ("client_id", "steward"), ("id", id.as_str())];
        let one = format!("{pages}/{id}");
        let added = owner.submit(&form, &new, &values).await;
        assert!(added.is_at(&one) && added.status == 200, "{added}");
        let delete = format!("{one}/delete");
        let deleted = owner.submit(&owner.open(&delete).await, &delete, &[]).await;
        assert!(deleted.is_at(&pages) && deleted.text().contains("The provider was deleted."), "{deleted}");

        let again = owner.submit(&form, &new, &values).await;
        // Once the row is deleted, too, its ID is free.
        assert!(again.is_at(&one) || again.status == 404 && again.heading() == "Not found", "{again}");
        let other = owner.submit(&owner.open(&new).await, &new, &values).await;
        assert!(other.status == 404 || other.is_at(&one), "{other}");
    }
}

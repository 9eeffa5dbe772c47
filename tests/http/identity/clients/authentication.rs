//! Client authentication: a confidential client uses its codes and tokens only with its secret, and no client those
//! of another one.

use serde_json::json;
use steward_tests::{Browser, World, on_both_in_full, on_sqlite};

use super::{
    Named, Registered, bearer, claims, did, is_not_authenticated, machine, own_token, refresh, register, revoke,
    rotate, text, with_shop,
};

on_both_in_full! {
    async fn a_confidential_client_signs_a_person_in_with_its_secret_and_without_pkce(app: &App) {
        let (world, shop) = with_shop(app).await;
        let (browser, notes) = (Browser::new(app), format!("/account/{}/db/notes", world.project));
        for named in [shop.basic(), shop.in_body()] {
            let code = shop.code(&browser, "ann", &[("nonce", "n-1")]).await;
            let response = shop.redeem(app, &code, named).await;
            assert_eq!(response.header("Cache-Control"), "no-store");
            let tokens = response.ok();
            let (access, id) = (claims(&tokens, "access_token"), claims(&tokens, "id_token"));
            assert_eq!((&access["client_id"], &id["aud"]), (&json!(shop.id()), &json!(shop.id())));
            assert_eq!((&access["aud"], &id["nonce"]), (&json!(did(app, &world.project)), &json!("n-1")));
            assert_eq!(access["sub"], id["sub"]);
            let ann = bearer(app, &tokens);
            assert_eq!(ann.get("/auth/userinfo").await.ok()["email"], "ann@example.com");
            ann.post(&notes, json!({"value": {"title": "Mine"}})).await.created();
            assert_eq!(ann.get("/auth/session").await.ok()["client_id"], json!(shop.id()));

            let renewing = text(&tokens, "refresh_token");
            for without in [Named::Nobody, Named::InBody(shop.id(), ""), Named::Basic(shop.id(), "")] {
                is_not_authenticated(refresh(app, &renewing, without).await, without);
            }
            let renewed = refresh(app, &renewing, named).await.ok();
            assert_ne!(text(&renewed, "refresh_token"), renewing);
            let (access, id) = (claims(&renewed, "access_token"), claims(&renewed, "id_token"));
            assert_eq!((&access["client_id"], &id["aud"]), (&json!(shop.id()), &json!(shop.id())));
            bearer(app, &renewed).get(&notes).await.ok();
        }
    }
}

on_sqlite! {
    async fn an_id_in_upper_case_is_the_same_client_and_stays_the_audience(app: &App) {
        let (_, mut shop) = with_shop(app).await;
        let id = shop.id().to_owned();
        shop.client.id = id.to_uppercase();
        let code = shop.code(&Browser::new(app), "ann", &[]).await;
        let tokens = shop.redeem(app, &code, shop.basic()).await.ok();
        let (access, identity) = (claims(&tokens, "access_token"), claims(&tokens, "id_token"));
        assert_eq!((&access["client_id"], &identity["aud"]), (&json!(id), &json!(shop.id())));
        shop.client.id = id;
        refresh(app, &text(&tokens, "refresh_token"), shop.basic()).await.ok();
    }

    async fn a_refused_secret_uses_up_neither_the_code_nor_the_refresh_token(app: &App) {
        let (world, shop) = with_shop(app).await;
        let other = register(app, &world, json!({"name": "Other shop"})).await;
        let new = rotate(&world, &shop, 0).await;
        let (replaced, shop) = (shop.secret.clone(), Registered { secret: new, ..shop });
        let unknown = format!("stw_cs_{}", "0".repeat(43));
        let cut = &shop.secret[..shop.secret.len() - 1];
        let secrets = ["", "x", unknown.as_str(), cut, replaced.as_str(), other.secret.as_str()];
        let by_basic = secrets.map(|secret| Named::Basic(shop.id(), secret));
        let in_body = secrets.map(|secret| Named::InBody(shop.id(), secret));
        let refused: Vec<Named<'_>> = by_basic.into_iter().chain(in_body).chain([Named::Nobody]).collect();

        let code = shop.code(&Browser::new(app), "ann", &[]).await;
        for named in &refused {
            is_not_authenticated(shop.redeem(app, &code, *named).await, *named);
        }
        let tokens = shop.redeem(app, &code, shop.basic()).await.ok();
        let renewing = text(&tokens, "refresh_token");
        for named in &refused {
            is_not_authenticated(refresh(app, &renewing, *named).await, *named);
        }
        let renewed = refresh(app, &renewing, shop.in_body()).await.ok();
        let renewing = text(&renewed, "refresh_token");
        for (named, token) in refused.iter().flat_map(|named| [(named, "access_token"), (named, "refresh_token")]) {
            is_not_authenticated(revoke(app, &text(&renewed, token), *named).await, *named);
        }
        bearer(app, &renewed).get("/auth/userinfo").await.ok();
        refresh(app, &renewing, shop.basic()).await.ok();
    }

    async fn a_secret_alone_gets_a_token_only_for_its_own_client(app: &App) {
        let world = World::make(app, "acme").await;
        let (worker, other) = (machine(app, &world, "read").await, machine(app, &world, "read").await);
        let (unknown, nobody) = (format!("stw_cs_{}", "0".repeat(43)), "01940000-0000-7000-8000-000000000000");
        let pairs = [
            (worker.id(), ""),
            (worker.id(), "x"),
            (worker.id(), unknown.as_str()),
            (worker.id(), other.secret.as_str()),
            (nobody, worker.secret.as_str()),
            (world.project.as_str(), worker.secret.as_str()),
            ("steward-cli", worker.secret.as_str()),
            (other.id(), worker.secret.as_str()),
        ];
        for (id, secret) in pairs {
            for named in [Named::Basic(id, secret), Named::InBody(id, secret)] {
                is_not_authenticated(own_token(app, "", named).await, named);
            }
        }
        is_not_authenticated(own_token(app, "", Named::Nobody).await, Named::Nobody);
        own_token(app, "", worker.basic()).await.ok();
    }

    async fn what_belongs_to_one_client_is_refused_to_all_others(app: &App) {
        let (world, shop) = with_shop(app).await;
        let all = [
            shop,
            register(app, &world, json!({"name": "Other shop"})).await,
            register(app, &world, json!({"name": "App", "type": "public"})).await,
            Registered::project_itself(app, &world).await,
        ];
        let browser = Browser::new(app);
        for (index, owner) in all.iter().enumerate() {
            let others = all.iter().enumerate().filter(|(other, _)| *other != index);
            let strangers = others.flat_map(|(_, client)| [client.basic(), client.in_body()]);
            let strangers: Vec<Named<'_>> = strangers.chain([Named::InBody("steward-cli", "")]).collect();
            let code = owner.code(&browser, "ann", &[]).await;
            for stranger in &strangers {
                owner.redeem(app, &code, *stranger).await.refused(400, "invalid_grant");
            }
            let tokens = owner.redeem(app, &code, owner.basic()).await.ok();
            let (ann, renewing) = (bearer(app, &tokens), text(&tokens, "refresh_token"));
            for stranger in &strangers {
                refresh(app, &renewing, *stranger).await.refused(400, "invalid_grant");
                for token in ["access_token", "refresh_token"] {
                    revoke(app, &text(&tokens, token), *stranger).await.refused(400, "invalid_grant");
                }
            }
            ann.get("/auth/userinfo").await.ok();
            let renewed = refresh(app, &renewing, owner.basic()).await.ok();
            revoke(app, &text(&renewed, "access_token"), owner.in_body()).await.is(200);
            for caller in [ann, bearer(app, &renewed)] {
                caller.get("/auth/userinfo").await.refused(401, "unauthorized");
            }
        }
    }

    async fn a_used_code_revokes_its_tokens_only_for_the_client_with_the_secret(app: &App) {
        let (_, shop) = with_shop(app).await;
        let code = shop.code(&Browser::new(app), "ann", &[]).await;
        let tokens = shop.redeem(app, &code, shop.basic()).await.ok();
        // Anyone who sees the code in an address could otherwise sign the person out.
        for named in [Named::Nobody, Named::InBody(shop.id(), "x")] {
            is_not_authenticated(shop.redeem(app, &code, named).await, named);
        }
        bearer(app, &tokens).get("/auth/userinfo").await.ok();
        shop.redeem(app, &code, shop.basic()).await.refused(400, "invalid_grant");
        bearer(app, &tokens).get("/auth/userinfo").await.refused(401, "unauthorized");
        refresh(app, &text(&tokens, "refresh_token"), shop.basic()).await.refused(400, "invalid_grant");
    }
}

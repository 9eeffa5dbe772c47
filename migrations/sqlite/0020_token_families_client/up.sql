CREATE INDEX token_families_client ON token_families (project_client_id) WHERE project_client_id IS NOT NULL;

// Writes several items at once and regenerates a key with a client that OpenAPI Generator generates from the OpenAPI document.
// Argument: the URL of the service. Prints a JSON object with the results.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	openapi "steward"
)

const password = "correct horse battery"

var client = newClient(os.Args[1])

func newClient(url string) *openapi.APIClient {
	configuration := openapi.NewConfiguration()
	configuration.Servers = openapi.ServerConfigurations{{URL: url}}
	return openapi.NewAPIClient(configuration)
}

func as(token string) context.Context {
	return context.WithValue(context.Background(), openapi.ContextAccessToken, token)
}

func check(err error) {
	if err != nil {
		var refused *openapi.GenericOpenAPIError
		if errors.As(err, &refused) {
			panic(fmt.Sprintf("%v: %s", err, refused.Body()))
		}
		panic(err)
	}
}

// The error of a response that must be one.
func refusal(err error) map[string]any {
	var refused *openapi.GenericOpenAPIError
	if !errors.As(err, &refused) {
		panic(fmt.Sprintf("not refused: %v", err))
	}
	var body map[string]any
	check(json.Unmarshal(refused.Body(), &body))
	return body
}

func signUpAndLogIn(username string) string {
	account := openapi.NewCreateAccountBody(username+"@example.com", password)
	account.SetUsername(username)
	account.SetName(username)
	_, _, err := client.AuthAPI.SignUp(context.Background()).CreateAccountBody(*account).Execute()
	check(err)
	login := openapi.NewPasswordLogin(password)
	login.SetUsername(username)
	session, _, err := client.AuthAPI.LogIn(context.Background()).PasswordLogin(*login).Execute()
	check(err)
	return session.AccessToken
}

func put(id string, title string, ifNoneMatch string) openapi.ItemOperation {
	put := openapi.NewItemPut(id, map[string]any{"title": title}, "put")
	if ifNoneMatch != "" {
		put.SetIfNoneMatch(ifNoneMatch)
	}
	return openapi.ItemPutAsItemOperation(put)
}

func complete(id string) openapi.ItemOperation {
	return openapi.ItemPatchAsItemOperation(openapi.NewItemPatch(id, map[string]any{"done": true}, "patch"))
}

// The project that a key belongs to, or the code of the error.
func credentialOf(project string, value string) any {
	shown, _, err := client.ProjectsAPI.GetProject(as(value), project).Execute()
	if err != nil {
		return refusal(err)["error"]
	}
	return shown.Data.Name
}

func main() {
	olga, ann := as(signUpAndLogIn("olga")), signUpAndLogIn("ann")
	team, _, err := client.TeamsAPI.CreateTeam(olga).CreateTeamBody(*openapi.NewCreateTeamBody("Acme", "acme")).Execute()
	check(err)
	newProject := openapi.NewCreateProjectBody("Rocket", team.Data.Id)
	created, _, err := client.ProjectsAPI.CreateProject(olga).CreateProjectBody(*newProject).Execute()
	check(err)
	project := created.Data.Id
	newKey := openapi.NewCreateKeyBody("Server", "admin")
	first, _, err := client.ProjectKeysAPI.CreateKey(olga, project).CreateKeyBody(*newKey).Execute()
	check(err)
	server := as(first.Key.Value)

	fields := map[string]any{
		"title": map[string]any{"type": "string", "required": true},
		"done":  map[string]any{"type": "boolean"},
	}
	tables := map[string]any{"tables": map[string]any{"notes": map[string]any{"fields": fields}}}
	schema := openapi.NewSchemaDocument(tables)
	_, _, err = client.ProjectSchemaAPI.PublishSchema(olga, project).SchemaDocument(*schema).Execute()
	check(err)
	connection := openapi.NewUserConnection(ann)
	_, _, err = client.ProjectUsersAPI.ConnectUser(server, project).UserConnection(*connection).Execute()
	check(err)
	users, _, err := client.ProjectUsersAPI.ListUsers(server, project).Execute()
	check(err)
	user := users.Data[0].Id

	batch := func(operations ...openapi.ItemOperation) (*openapi.BatchOwnItems200Response, error) {
		body := openapi.NewItemBatch(operations)
		items, _, err := client.ProjectUsersAPI.BatchItems(server, project, user, "notes").ItemBatch(*body).Execute()
		return items, err
	}
	_, err = batch(put("first", "Buy milk", "*"), put("second", "Buy bread", ""))
	check(err)
	remove := openapi.ItemDeleteAsItemOperation(openapi.NewItemDelete("second", "delete"))
	items, err := batch(put("third", "Buy eggs", ""), complete("first"), remove)
	check(err)
	_, err = batch(complete("third"), put("first", "Buy tea", "*"))
	conflict := refusal(err)

	key := first.Key.Id
	// Without a body, the client would send `null`.
	none := openapi.NewKeyRegeneration()
	second, _, err := client.ProjectKeysAPI.RegenerateKey(olga, project, key).KeyRegeneration(*none).Execute()
	check(err)
	grace := openapi.NewKeyRegeneration()
	grace.SetGraceSeconds(600)
	third, _, err := client.ProjectKeysAPI.RegenerateKey(olga, project, key).KeyRegeneration(*grace).Execute()
	check(err)

	written := [][]any{}
	for _, item := range items.Data {
		written = append(written, []any{item["id"], item["title"], item["done"]})
	}
	check(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"batch":    written,
		"conflict": []any{conflict["error"], conflict["index"]},
		"ids":      []bool{second.Key.Id == key, third.Key.Id == key},
		"first":    credentialOf(project, first.Key.Value),
		"second":   credentialOf(project, second.Key.Value),
		"third":    credentialOf(project, third.Key.Value),
	}))
}

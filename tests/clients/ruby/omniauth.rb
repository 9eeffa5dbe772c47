# An app that signs users in with omniauth_openid_connect. Environment variables: ISSUER, CLIENT_ID, PORT.

require 'omniauth'
require 'omniauth_openid_connect'
require 'rack'
require 'rack/protection'
require 'rack/handler/webrick'

ISSUER, CLIENT_ID, PORT = ENV.values_at('ISSUER', 'CLIENT_ID', 'PORT')
ORIGIN = "http://127.0.0.1:#{PORT}".freeze

# The service uses plain HTTP on localhost.
SWD.url_builder = URI::HTTP
OmniAuth.config.logger.level = Logger::WARN

def html(text)
  [200, { 'Content-Type' => 'text/html' }, [text]]
end

def json(value)
  [200, { 'Content-Type' => 'application/json' }, [value.to_json]]
end

def redirect(path)
  [302, { 'Location' => path }, []]
end

# Refreshes the tokens with the client of the library.
def refresh(session)
  configuration = OpenIDConnect::Discovery::Provider::Config.discover!(ISSUER)
  client = OpenIDConnect::Client.new(
    identifier: CLIENT_ID, secret: 'unused', token_endpoint: configuration.token_endpoint
  )
  client.refresh_token = session['refresh_token']
  session['refresh_token'] = client.access_token!.refresh_token
end

def revoke(token)
  Net::HTTP.post_form(URI("#{ISSUER}/auth/revoke"), token: token, client_id: CLIENT_ID).value
end

app = lambda do |env|
  session = env['rack.session']
  case env['PATH_INFO']
  when '/login'
    token = Rack::Protection::AuthenticityToken.token(session)
    html %(<form method="post" action="/auth/steward"><input type="hidden" name="authenticity_token" value="#{token}">
      <button>Log in</button></form>)
  when '/auth/steward/callback'
    found = env['omniauth.auth']
    session['user'] = { name: found.info.name, email: found.info.email }
    session['refresh_token'] = found.credentials.refresh_token
    redirect '/'
  when '/user' then json session['user']
  when '/refresh' then json(refresh_token: refresh(session))
  when '/logout'
    revoke session['refresh_token']
    session.clear
    redirect '/'
  else html 'Home'
  end
end

server = Rack::Builder.new do
  use Rack::Session::Pool
  use OmniAuth::Builder do
    provider :openid_connect,
             name: :steward,
             issuer: ISSUER,
             discovery: true,
             scope: %i[openid email profile],
             client_options: { identifier: CLIENT_ID, secret: 'unused', redirect_uri: "#{ORIGIN}/auth/steward/callback" }
  end
  run app
end

Rack::Handler::WEBrick.run(server.to_app, Host: '127.0.0.1', Port: PORT.to_i, AccessLog: [])

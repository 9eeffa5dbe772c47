## Used by several pages.

gap = { "" }
sign-in = ログイン
sign-out = ログアウト
create-account = アカウントを作成
continue = 続行
code = コード
email = メールアドレス
password = パスワード
name = 名前
username = ユーザー名
optional = （任意）
password-hint = 10～256文字。互いに関係のない単語をいくつか組み合わせてください。
username-hint = 英数字、ハイフン、アンダースコアで3～32文字。
signed-in-as = { $account } としてログインしています。
to-continue = { $client } に進みます
use-another-account = 別のアカウントを使用
forgot-password = パスワードをお忘れですか？
back-to-sign-in = ログインに戻る
stay-signed-in = ログインしたままにする
close-page = このページを閉じてかまいません。
go-to-account = アカウントに移動
no-mail-server = このサービスにはメールサーバーがありません。リンクはサービスのログに書き込まれ、運営者が確認できます。
sign-in-with-passkey = パスキーでログイン
no-passkey-used = パスキーは使用されませんでした。もう一度お試しいただくか、別の方法を選択してください。
documentation = ドキュメント
openapi-document = OpenAPIドキュメント
terms = 利用規約
privacy-policy = プライバシーポリシー

## Points in time, in UTC.

date-time = { $year }年{ $month }{ $day }日 { $time } UTC
month-1 = 1月
month-2 = 2月
month-3 = 3月
month-4 = 4月
month-5 = 5月
month-6 = 6月
month-7 = 7月
month-8 = 8月
month-9 = 9月
month-10 = 10月
month-11 = 11月
month-12 = 12月

## The start page.

start-title = プロジェクト管理
start-lead = チーム、プロジェクト、APIキー、スキーマ、ユーザーとそのデータを、ブラウザー、コマンドライン、REST APIで管理できます。
start-not-set-up = このサービスはまだ設定されていません。最初のアカウントを作成して運営者になるには、サービスが起動時にログに出力したリンクを開いてください。リンクは24時間以内に一度だけ使用できます。新しいリンクを出力するには、サービスを再起動してください。

## Signing in.

sign-in-identity-waits = メールアドレス { $email } のアカウントはすでに存在します。ご本人のアカウントであることを確認するため、別の方法で一度ログインしてください。その後は { $provider } でログインできます。
email-or-username = メールアドレスまたはユーザー名
email-me-a-code = メールでコードを受け取る
other-ways = その他のログイン方法
continue-with = { $provider } で続行
sign-in-limited = お待ちいただく必要はありません。アカウントのメールアドレスにお送りするリンクでログインしてください。過去1時間以内にすでに受け取っている場合は、そのリンクをご使用ください。
email-me-a-link = メールでログインリンクを受け取る

## Signing in with a code.

code-address-title = コードでログイン
code-address-lead = パスワードなしでログインできるコードを受け取るには、メールアドレスを入力してください。
code-address-sign-up = アカウントをお持ちでない場合は、コードによって新しく作成されます。
send-code = コードを送信
request-code = コードをリクエスト
code-title = コードを入力
code-sent = { $email } のアカウントが存在する場合、または作成できる場合は、このアドレスにコードを送信しました。コードは10分で期限切れになります。
code-logged = { $email } のコードを入力してください。コードは10分で期限切れになります。
send-another-code = コードを再送信
code-elsewhere = このリンクは、リクエストしたブラウザーで10分間だけ使用できます。そのブラウザーで開くか、もう一度メールをリクエストしてください。

## The second factor.

second-factor-title = ご本人であることを確認してください
recovery-code-lead = { $account } 用に保存したリカバリーコードを1つ入力してください。一度だけ使用できます。
recovery-code = リカバリーコード
app-code-lead = 認証アプリに表示されている { $account } のコードを入力してください。
second-factor-limited = これらのコードを入力した覚えがない場合、第三者がパスワードを知っているか、メールを読んでいます。{ $open }新しいパスワードを設定{ $close }してください。第三者の試行は終了し、2分後にコードを入力できるようになります。以前にコードを使用したブラウザーには影響ありません。
use-app = 認証アプリを使用
use-recovery-code = リカバリーコードを使用
sign-in-to-another = 別のアカウントにログイン
lost-device = デバイスとリカバリーコードの両方を紛失した場合は、このサービスの運営者にご相談ください。
set-up-title = 2要素認証を設定
set-up-from = { $due } 以降、ここでのログインには2要素認証が必要です。
set-up-now = ここでのログインには2要素認証が必要です。
set-up-why = パスワードを知っている第三者からもアカウント { $account } を保護します。認証アプリまたはパスキーを設定してから、このページで続行してください。
set-up-app = 認証アプリを設定
set-up-passkey = パスキーを設定
set-up-done = 設定後に続行
set-up-later = 後で設定
set-up-has-passkey = もう一度ログインする（お持ちのパスキーなどを使用）

## Signing up.

sign-up-operator = これはこのサービスの最初のアカウントです。アカウントとサービスを管理する運営者になりますが、チームのデータは管理しません。
sign-up-team = チーム { $team } に参加します
sign-up-failed = アカウントは作成されませんでした。次の項目を確認してください。
field-error = { $field }：{ $error }
sign-up-submit = アカウントを作成
sign-up-no-password = パスワードを使わない場合：
sign-up-with-code = メールのコードで登録
sign-up-has-account = すでにアカウントをお持ちですか？

## Consent.

consent-title = アクセスを許可
consent-title-device = デバイスでのアクセスを許可
consent-continue = { $client } に進みますか？
consent-asks = { $client } がアカウントの使用を求めています
consent-asks-device = { $client } がデバイスでのアカウントの使用を求めています
consent-of-service = これは、このサービスのコマンドラインです。
consent-of-operator = このアプリは、このサービスの運営者が登録したものです。
consent-of-project = このアプリは、このサービスの一部ではありません。プロジェクト { $project } のものです。
consent-registered-itself = このアプリは自動的に登録されたもので、名前は誰にも確認されていません。ご自身でこのアプリへのログインを始めた直後の場合にのみ、アクセスを許可してください。
consent-device-code = デバイスにこのコードが表示されていますか？
consent-device-warning = お手元のデバイスでご自身がこの操作を始めた場合にのみ続行してください。アプリやサービスが、送信したコードの入力を求めることはありません。
consent-device-address = リクエスト元のアドレスは { $address } です。
consent-can = このアプリに許可されていること
consent-will = このアプリに許可されること
consent-destination = { $destination } にリダイレクトされます
consent-on-device = デバイス上のどのプログラムもこのアドレスを使用できます。ご自身でログインを始めた直後の場合にのみ続行してください。
consent-continue-as = { $account } として続行
cancel = キャンセル
allow = 許可
deny = 拒否
scope-openid = ご本人の識別
scope-openid-detail = アカウントの永続的なID
scope-profile = プロフィールの表示
scope-profile-detail = 名前とユーザー名
scope-email = メールアドレスの表示
scope-email-detail = 確認済みかどうかを含む
scope-offline-access = 不在時のアクセスの維持
scope-offline-access-detail = アクセス権を取り消すまで
scope-db-read = このアプリ内のデータの読み取り
scope-db-read-detail = アプリがお客様のために保存しているデータ
scope-db-write = このアプリ内のデータの変更
scope-db-write-detail = アプリがお客様のために保存しているデータの追加、変更、削除
scope-profile-read = このアプリ内のプロフィールの読み取り
scope-profile-read-detail = アプリに表示されるプロフィール
scope-profile-write = このアプリ内のプロフィールの変更
scope-profile-write-detail = アプリに表示されるプロフィール
scope-app-admin = このアプリでのすべての操作
scope-app-admin-detail = お客様がこのアプリで実行できるすべての操作の代行
scope-admin = 管理の代行
scope-admin-detail = チーム、プロジェクト、キーとそのユーザー
continue-to-app = アプリに進む

## Devices.

device-title = デバイスを接続
device-lead = デバイスに表示されているコードを入力してください。
device-unknown = このコードで待機しているデバイスはありません。デバイスに表示されているコードと照らし合わせてください。コードは10分で期限切れになります。
device-mistyped = コードではありません。デバイスに表示されている8文字を入力してください。
device-connected-title = デバイスが接続されました
device-connected = デバイスが接続されました
device-connected-lead = このページを閉じてデバイスに戻ってください。数秒以内に続行されます。
device-denied-title = アクセスが拒否されました
device-denied = デバイスにはアクセスが許可されません

## Passwords.

forgot-lead = アカウントのメールアドレスを入力してください。ログイン用のリンクをお送りします。リンクから新しいパスワードを設定することもできます。
forgot-lead-no-mail = 新しいパスワードを設定するリンクを受け取るには、アカウントのメールアドレスを入力してください。
send-email = メールを送信
request-link = リンクをリクエスト
check-email = メールをご確認ください
link-requested = リンクをリクエストしました
you-entered = 入力されたアドレス：{ $email }
forgot-sent = このアドレスのアカウントが存在する場合は、リンクを記載したメールを送信しました。リンクは一度だけ使用でき、1時間で期限切れになります。
forgot-spam = メールが届かない場合は、迷惑メールフォルダーをご確認ください。
forgot-logged = このアドレスのアカウントが存在する場合は、リンクが発行されました。リンクは一度だけ使用でき、1時間で期限切れになります。
try-another-address = 別のアドレスを試す
forgot-limited = { $error }過去1時間以内にリンクを記載したメールを受け取っている場合は、そのリンクを使用できます。
reset-title = 新しいパスワードを設定
reset-lead = 新しいパスワードを設定すると、すべてのセッションが終了します。新しいパスワードでもう一度ログインしてください。
new-password = 新しいパスワード
reset-submit = 新しいパスワードを設定
reset-keep = 現在のパスワードを引き続き使用する場合：
reset-sign-in = 新しいパスワードを設定せずにログイン
reset-done-title = パスワードを変更しました
reset-done = パスワードを変更しました
reset-done-lead = すべてのセッションが終了しました。新しいパスワードでログインしてください。

## Confirming an email address.

confirm-title = メールアドレスの確認
email-sent = メールを送信しました。
link-logged = リンクをサービスのログに書き込みました。
link-once = リンクは一度だけ使用でき、1時間で期限切れになります。
confirm-email-sent = このアドレスにメールを送信しました。
confirm-email-logged = このサービスはメールを送信しません。運営者がログでリンクを確認するか、アドレスを確認済みにします。
confirm-open-link = リンクを開いて、ご自身のアドレスであることを確認してください。確認が完了するまで、アカウントは使用できません。
send-email-again = メールを再送信
use-another-email = 別のメールアドレスを使用
delete-account = アカウントを削除
verify-lead = このメールアドレスがご自身のものであることを確認するには、ボタンを押してください。
verify-submit = メールアドレスを確認
held-lead = 以前に別の人があなたのメールアドレスで登録した可能性があります。このアカウントには次のものがあります。それぞれについて残すかどうかを選択してください。選択するまで何も確認されません。
held-membership = チーム { $team } のメンバー（ロール: { $name }）
held-team = 他のオーナーがいないチーム { $team } とそのプロジェクト
held-key = チーム { $team } の API キー { $name }
held-client = チーム { $team } の OAuth クライアント { $name }
held-provider = チーム { $team } の ID プロバイダー { $name }
held-webhook = チーム { $team } の { $name } への Webhook
held-all-of-team = チーム { $team } のすべて: メンバーの資格と、{ $name } 個のキー、OAuth クライアント、ID プロバイダー、Webhook
held-all = { $name } 個のチームのすべて: メンバーの資格、キー、OAuth クライアント、ID プロバイダー、Webhook
held-keep = 残す
held-delete = 削除する
held-leave = チームから退出する
held-delete-team = チームとそのプロジェクトを削除する
held-end-all = 削除して退出する。他のオーナーがいないチームは、プロジェクトとともに削除されます。
verified-title = メールアドレスを確認しました
verified = メールアドレスが確認されました
verified-invited = チームに招待されています。
view-invite = 招待を表示

## Invites.

invite-title = チームへの招待
invite-join = チーム { $team } に参加しますか？
invite-from = { $inviter } さんがチーム { $team } に招待しています。ロールは { $roles } です。
invite-from-as = { $inviter } さんが { $label } としてチーム { $team } に招待しています。ロールは { $roles } です。
invite-expires = 招待の有効期限：{ $until }
join-team = チームに参加
decline = 辞退
invite-for = { $email } 宛ての招待です。
invite-has-account = 参加するには、このアドレスでログインしてください。パスワードがわからない場合は、ログインページで「パスワードをお忘れですか？」を選択してください。
invite-may-sign-up = 参加するには、このアドレスでアカウントを作成してください。
invite-closed = このアドレスのアカウントは存在せず、新規登録は受け付けていません。このサービスの運営者にアカウントの発行を依頼してください。
invite-by-link = このリンクを持つ人は、任意のアカウントで一度だけ参加できます。ログインするか、アカウントを作成してください。
invite-other-title = 別のアカウント宛ての招待
invite-other = この招待は { $email } 宛てです
invite-switch = 参加するには、招待されたアドレスのアカウントに切り替えるか、アカウントを作成してください。
invite-switch-submit = ログアウトしてアカウントを切り替える
stay-signed-in-as = { $account } としてログインしたままにする
invite-accepted-title = 招待を承諾しました
invite-accepted = チーム { $team } に参加しました
invite-accepted-lead = チームのプロジェクトを表示できるようになりました。
invite-declined-title = 招待を辞退しました
invite-declined = 招待を辞退しました
invite-declined-lead = チーム { $team } には参加していません。お考えが変わった場合は、もう一度招待を依頼してください。
go-to-teams = チームとプロジェクトに移動
invite-confirm-first = 先にメールアドレスを確認してください
invite-unconfirmed = { $account } としてログインしていますが、このアドレスは確認されていません。メールで招待された場合は、そのメールのリンクを開いてください。アドレスも確認されます。それ以外の場合は、確認メールのリンクを開いてから、もう一度招待を開いてください。
send-confirmation-again = 確認メールを再送信
invite-not-found = 招待が見つかりません
invite-none = このアカウントへの招待はありません
invite-none-lead = { $account } としてログインしています。別のアカウント宛ての招待であるか、すでに承諾、辞退、取り消しされたか、期限切れになっている可能性があります。
invited-title = 招待を表示するにはログインしてください
invited-lead = 招待されたアカウントでログインしてください。その後、招待を表示して承諾または辞退できます。
invited-lead-sign-up = 招待されたアカウントでログインするか、アカウントを作成してください。その後、招待を表示して承諾または辞退できます。
invited-ended = リンクが使用済み、取り消し済み、または期限切れの場合は、もう一度招待を依頼してください。

## Signing out.

sign-out-question = ログアウトしますか？
sign-out-apps = このブラウザーで使用しているアプリからもログアウトします。ただし、不在時のアクセスを許可したアプリは除きます。
sign-out-then = ログアウト後、別のアカウントで続行できます。
back-to-account = アカウントに戻る
logout-requested = { $client } からのリクエスト
signed-out-title = ログアウトしました
signed-out = ログアウトしました
signed-out-lead = このブラウザーでのセッションは終了しました。
sign-in-again = もう一度ログイン

## A deleted account.

deleted-title = アカウントを削除しました
deleted = アカウントは削除されました
deleted-lead = セッション、トークン、個人データも削除されました。
deleting-title = アカウントを削除しています
deleting = アカウントを削除しています
deleting-lead = このアカウントにはもう誰もログインできません。データが多いため、すべての削除には数分かかることがあります。
go-to-start = スタートページに移動

## Error pages.

go-home = ホームページに移動
start-again = やり直す
error-sign-in-ended = このログインは終了しました
error-sign-in-ended-lead = すでに完了しているか、10分が経過して期限切れになりました。アプリに戻ってやり直してください。
error-link = このリンクはもう有効ではありません
error-link-lead = リンクは一度だけ使用でき、1時間で期限切れになります。新しいリンクをリクエストしてください。
error-invite-link = この招待リンクは有効ではありません
error-invite-link-lead = リンクが不完全であるか、誤りがあります。招待に記載されたリンク全体を開いてください。
error-not-set-up = このサービスはまだ設定されていません
error-second-factor-unused = 2要素認証でログインしてください
error-second-factor-unused-lead = ここでは2要素認証によるログインが必要です。もう一度ログインしてください。
error-sign-up-closed = 新規登録は受け付けていません
error-too-many = 試行回数が多すぎます
error-failure = 問題が発生しました
error-not-found = 見つかりません
error-request = リクエストに失敗しました
error-foreign-form = このフォームは期限切れです
error-foreign-form-lead = 別のブラウザーで開かれたか、その後にログインまたはログアウトが行われました。前のページに戻って再読み込みし、もう一度フォームを送信してください。Cookieを有効にする必要があります。
error-sign-in-first = 続行するにはログインしてください
error-sign-in-first-lead = このリンクを使用するには、アカウントにログインしている必要があります。ログインしてから、もう一度リンクを開いてください。アカウントを作成した覚えがない場合は、メールを無視してください。
error-operator-link-lead = リンクは、サービスに最初のアカウントが作成されるまで、24時間以内に一度だけ使用できます。それまでは、再起動すると新しいリンクがログに書き込まれます。その後は、ホストで steward account operator add を実行してください。
error-no-page = ページが見つかりません
error-no-page-lead = このアドレスにページはありません。
error-form = フォームが有効ではありません
error-form-lead = 前のページに戻って、もう一度送信してください。

## Errors of the use cases.

wrong-password = メールアドレス、ユーザー名、またはパスワードが正しくありません。確認してもう一度お試しください。
wrong-code = コードが正しくないか、期限切れか、すでに使用されています。アプリに現在表示されているコードを入力してください。
mistyped-code = コードではありません。アプリに表示されている6桁の数字、またはリカバリーコード全体を入力してください。
wrong-email-code = コードが正しくないか、すでに使用されています。最新のメールに記載された6桁の数字を入力してください。
mistyped-email-code = コードではありません。最新のメールに記載された6桁の数字を入力してください。
outdated-email-code = コードが期限切れか、誤入力の回数が多すぎます。新しいコードをリクエストしてください。
unknown-passkey = このパスキーを使用しているアカウントがないか、アカウントが無効になっています。別の方法でログインしてください。
wrong-passkey = パスキーを確認できませんでした。もう一度お試しください。
other-passkey = このパスキーは別のアカウントのものです。ご自身のパスキーを使用するか、パスワードを入力してください。
copied-passkey = このパスキーは複製されている可能性があるため、使用できません。別の方法でログインして、このパスキーを削除してください。
outdated-challenge = パスキーのリクエストが期限切れになりました。もう一度お試しください。
provider-denied = プロバイダーでのログインがキャンセルされました。もう一度お試しいただくか、別の方法でログインしてください。
provider-failed = プロバイダーでのログインが完了しませんでした。もう一度お試しいただくか、別の方法でログインしてください。
outdated-provider-sign-in = ログインが期限切れになったか、別のブラウザーで開始されました。もう一度お試しください。
disabled-identity = アカウントは無効になっています。このサービスの運営者にお問い合わせください。
identity-without-email = 新しいアカウントに必要なメールアドレスが、プロバイダーから共有されませんでした。メールアドレスの共有を許可するか、別の方法でログインしてアカウントでプロバイダーを連携してください。
other-identity = このIDは別のアカウントと連携しています。先にそのアカウントにログインして、連携を解除してください。
second-identity = お使いのアカウントは、このプロバイダーのIDとすでに連携しています。先に連携を解除してください。
too-many-identities = 連携しているIDが多すぎます。先に1つ解除してください。
replaced-identity = このアドレスのアカウントは、このプロバイダーの別のIDと連携しています。運営者に削除を依頼してください。
other-domain = お使いのアカウントには、会社のアドレスのIDが必要です。そのIDを選択してください。
second-factor-missing = ここでは2要素認証が必要です。アカウントで認証アプリまたはパスキーを設定するか、お持ちのパスキーでログインしてください。
not-set-up = このサービスはまだ設定されていません。最初のアカウントを作成するには、サービスが起動時にログに出力したリンクを開いてください。リンクが期限切れの場合は、サービスを再起動してください。
sign-up-closed = 新規登録は受け付けていません。このサービスの運営者にアカウントの発行を依頼してください。
unconfirmed-email = アカウントのメールアドレスが確認されていません。ブラウザーでサービスにログインし、確認メールのリンクを開いてください。
sign-up-by-invite = 登録するには、このメールアドレス宛ての招待が必要です。チームに招待を依頼してください。
sign-up-domain = 登録するには、次のいずれかのドメインのメールアドレスが必要です：{ $domains }
provider-required = このドメインのメールアドレスのアカウントは、{ $provider } でログインする必要があります。ログインページで { $provider } を選択してください。
blocked = このユーザーはこのプロジェクトでブロックされています。プロジェクトを所有するチームにお問い合わせください。
email-taken = このメールアドレスのアカウントはすでに存在します。ログインしてください。
username-taken = このユーザー名はすでに使用されています。別のユーザー名を選択してください。
already-member = このアカウントはすでにチームのメンバーです。
too-many-attempts = 試行回数が多すぎます。{ $seconds }秒後にもう一度お試しください。
access-changed = リクエストの処理中にアクセス権が変更されました。もう一度お試しください。
unavailable = サービスは一時的に利用できません。もう一度お試しください。
storage-full = サービスにデータを保存する空き容量がありません。読み取りは引き続き可能です。運営者がディスクの空き容量を増やす必要があります。
internal-error = 内部エラーのため、リクエストに失敗しました。

## Fields that are not valid.

email-invalid = name@example.com のようなメールアドレスを入力してください。
email-letters = このサービスのメールサーバーはほかの文字を含むアドレスに送信できないため（SMTPUTF8）、@ の前には a から z の英字、数字、記号だけを使用してください。
password-length = パスワードは10～256文字にしてください。
password-common = よくあるパスワードに似ているため、推測されやすいパスワードです。一般的でない単語をいくつか組み合わせてください。
password-keyboard = キーボードの並びに沿っているため、推測されやすいパスワードです。一般的でない単語をいくつか組み合わせてください。
password-pattern = 同じパターンの繰り返しや連続のため、推測されやすいパスワードです。一般的でない単語をいくつか組み合わせてください。
password-date = 日付に似ているため、推測されやすいパスワードです。一般的でない単語をいくつか組み合わせてください。
password-word = 1つの単語や名前に似ているため、推測されやすいパスワードです。一般的でない単語をいくつか組み合わせてください。
password-easy = 推測されやすいパスワードです。ご自身に関係のない一般的でない単語をいくつか組み合わせてください。
password-breached = このパスワードは、別のサービスのデータ漏えいで見つかっています。これまで使用したことのないパスワードにしてください。
password-unconfirmed = パスワードを設定する必要があります。アカウントのメールアドレスがこれまで確認されていませんでした。
name-invalid = 名前は1～100文字にしてください。
name-hidden = 名前に、目に見えない文字 { $character } を含めることはできません。その文字を削除するか、入力し直してください。
name-nothing-visible = 名前には、目に見える文字を含めてください。
username-invalid = ユーザー名は英数字、ハイフン、アンダースコアで3～32文字にしてください。

## Emails.

email-hello = こんにちは。
email-project = { $project } にログインしようとしています。
email-link-once = リンクは一度だけ使用でき、1時間で期限切れになります。
email-confirm-button = アドレスを確認
email-sign-in-button = ログイン
email-open-button = サービスを開く
email-verify-subject = メールアドレスを確認してください
email-verify = このメールアドレスがアカウントに使用されました。ご自身のアドレスであることを確認するには、次のリンクを開いてください。
email-verify-otherwise = このアドレスを使用した覚えがない場合は、このメールを無視してください。リンクがなければ、誰もアドレスを確認できません。
email-reset-subject = ログインまたは新しいパスワードの設定
email-reset = このメールアドレスのアカウントについて、リンクがリクエストされました。ログインするか、新しいパスワードを設定するには、次のリンクを開いてください。
email-reset-otherwise = お心当たりがない場合は、このメールを無視してください。パスワードは変更されません。
email-change-subject = 新しいメールアドレスを確認してください
email-change = このメールアドレスをアカウントで使用するリクエストがありました。ご自身のアドレスであることを確認するには、そのアカウントにログインして、次のリンクを開いてください。
email-change-otherwise = お心当たりがない場合は、このメールを無視してください。リンクを開かない限り、アドレスは使用されません。
email-code-subject = ログイン用コード
email-code = ログイン用コードは { $code } です。コードをリクエストした画面に入力するか、同じブラウザーで次のリンクを開いてください。
email-code-then = コードはそのブラウザーでのみ一度だけ使用でき、10分で期限切れになります。コードを他の人に教えないでください。
email-code-otherwise = お心当たりがない場合は、このメールを無視してください。コードがなければ、誰もログインできません。
email-invite-subject = チーム { $team } への招待
email-invite = チーム { $team } から招待が届いています。招待を表示して承諾または辞退するには、次のリンクを開いてください。
email-invite-then = リンクによってこのメールアドレスが確認されるため、転送しないでください。アカウントをお持ちでない場合は、作成できます。招待の有効期限：{ $until }
email-invite-otherwise = このチームに心当たりがない場合は、このメールを無視してください。
email-changed-subject = メールアドレスが変更されました
email-changed = アカウントのメールアドレスが変更されました。アカウントを表示するには、次のリンクを開いてください。
email-changed-then = このアドレスはログインに使用されなくなり、アカウントに関するメールも届かなくなります。
email-changed-otherwise = アドレスを変更した覚えがない場合は、すぐにこのサービスの運営者にご連絡ください。
email-app-added-subject = 認証アプリが設定されました
email-app-added = アカウントに認証アプリが設定されました。確認するには、次のリンクを開いてください。
email-app-added-then = 今後、ログインにはパスワードに加えてアプリのコードが必要です。
email-app-removed-subject = 認証アプリが削除されました
email-app-removed = アカウントの認証アプリとリカバリーコードが削除されました。別のアプリを設定するには、次のリンクを開いてください。
email-app-removed-then = ログインに必要なのは、パスワードのみになりました。
email-codes-replaced-subject = リカバリーコードが置き換えられました
email-codes-replaced = アカウントの新しいリカバリーコードが生成されました。残りの数を確認するには、次のリンクを開いてください。
email-codes-replaced-then = 以前のリカバリーコードは無効になりました。
email-code-used-subject = リカバリーコードが使用されました
email-code-used = アカウントへのログインにリカバリーコードが使用されました。新しいコードを生成するには、次のリンクを開いてください。
email-code-used-then = このコードは再使用できません。未使用のリカバリーコード：{ $left }
email-factors-removed-subject = 2要素認証の設定とパスキーが削除されました
email-factors-removed = 紛失したため、アカウントの2要素認証の設定とパスキーが削除されました。新しく設定するには、次のリンクを開いてください。
email-factors-removed-then = ログイン時に必要なくなりました。
email-removal-scheduled-subject = 2要素認証の設定とパスキーが削除される予定です
email-removal-scheduled = 紛失したとして、アカウントの2要素認証の設定とパスキーの削除がリクエストされました。残すには、次のリンクを開いてください。
email-removal-scheduled-then = 削除予定：{ $until }。それまでは、これまでどおり使用できます。
email-removal-canceled-subject = 2要素認証の設定とパスキーは残ります
email-removal-canceled = アカウントの2要素認証の設定とパスキーは削除されません。もう一度リクエストするには、次のリンクを開いてください。
email-removal-canceled-then = これまでどおり使用できます。
email-confirmed-subject = アドレスが確認され、以前のアクセスが削除されました
email-confirmed = アカウントのメールアドレスが初めて確認されました。パスワードを設定または確認するには、次のリンクを開いてください。
email-confirmed-then = 以前に別の人があなたのアドレスで登録した可能性があります。そのため、当時のパスキー、連携したID、認証アプリ、セッション、アクセストークンが削除されました。パスワードも、今設定したものでなければ削除されました。
email-passkey-added-subject = パスキーが設定されました
email-passkey-added = アカウントにパスキーが設定されました。確認するには、次のリンクを開いてください。
email-passkey-added-then = 今後、パスワードなしでアカウントにログインできます。
email-passkey-removed-subject = パスキーが削除されました
email-passkey-removed = アカウントのパスキーが削除されました。残りのパスキーを確認するには、次のリンクを開いてください。
email-passkey-removed-then = 削除されたパスキーでは、アカウントにログインできなくなりました。
email-passkey-copied-subject = パスキーが複製されている可能性があります
email-passkey-copied = 複製されている可能性があるため、アカウントのパスキーが拒否されました。削除するには、次のリンクを開いてください。
email-passkey-copied-then = このログインは拒否されましたが、以前に複製が使用された可能性があります。セッションを確認してください。
email-identity-linked-subject = アカウントへの別のログイン方法が追加されました
email-identity-linked = 別のサービスのIDがアカウントと連携しました。確認するには、次のリンクを開いてください。
email-identity-linked-then = そのサービスを使ってアカウントにログインできるようになりました。
email-identity-unlinked-subject = アカウントへのログイン方法が削除されました
email-identity-unlinked = 別のサービスのIDとアカウントの連携が解除されました。残りの連携を確認するには、次のリンクを開いてください。
email-identity-unlinked-then = そのサービスでログインしても、アカウントにはログインできなくなりました。
email-codes-refused-subject = 第三者がアカウントにログインするためのコードを試しています
email-codes-refused = パスワードなどでアカウントへのログインの最初の手順を通過した第三者が、誤ったコードを入力しています。新しいパスワードを設定するには、次のリンクを開いてください。
email-codes-refused-then = これらのコードでログインした人はいません。新しいパスワードを設定すると、以前のパスワードによる試行は終了します。IDを連携している場合は、ご自身だけが使用できることを確認してください。
email-browser-subject = 新しいブラウザーからアカウントにログインがありました
email-browser = これまでに使用されていないブラウザーからアカウントにログインがありました。セッションを確認するには、次のリンクを開いてください。
email-browser-from = リクエスト元のネットワークアドレスは { $address } です。
email-browser-unknown = リクエスト元のネットワークアドレスは不明です。
email-password-subject = パスワードが変更されました
email-password = アカウントのパスワードが設定または変更されました。もう一度変更するには、次のリンクを開いてください。
email-password-then = これにより、他のすべてのブラウザーとアプリからログアウトされました。
email-token-subject = 個人用アクセストークンが作成されました
email-token = アカウントの個人用アクセストークンが作成されました。トークンを確認するには、次のリンクを開いてください。
email-token-then = このトークンを持つプログラムは、トークンで許可された操作をアカウントで行えます。
email-not-you = お心当たりがない場合は、すぐにパスワードを変更して全員をログアウトさせ、このサービスの運営者にご連絡ください。
email-not-you-session = お心当たりがない場合は、このリンクでセッションを終了し、すぐにパスワードを変更して全員をログアウトさせ、このサービスの運営者にご連絡ください。
email-not-you-forgot = お心当たりがない場合は、すぐにログインページの「パスワードをお忘れですか？」から新しいパスワードを設定して全員をログアウトさせ、このサービスの運営者にご連絡ください。
email-not-you-token = お心当たりがない場合は、このリンクでトークンを取り消し、パスワードを変更して全員をログアウトさせ、このサービスの運営者にご連絡ください。
email-not-you-passkey = お心当たりがない場合は、このリンクでパスキーを削除し、パスワードを変更して全員をログアウトさせ、このサービスの運営者にご連絡ください。
email-test-subject = テストメール
email-test = メールサーバーをテストするため、このサービスの運営者がこのメールを送信しました。
email-test-then = このメールが届いたので、メールサーバーは正常に動作しています。
email-test-otherwise = このサービスの運営者でない場合は、このメールを無視してください。
email-reason-account = { $host } のアカウントにこのアドレスが登録されているため、このメールをお送りしています。
email-reason-changed = { $host } のアカウントにこのアドレスが登録されていたため、このメールをお送りしています。
email-reason-entered = { $host } でこのアドレスが入力されたため、このメールをお送りしています。
email-reason-invited = { $host } のチームがこのアドレスを招待したため、このメールをお送りしています。

import { createHash } from 'node:crypto'
import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import type { AdminUser } from '#admin'
import {
  cookieIn,
  cookiesFrom,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  isSignedIn,
  login,
  makeUser,
  PASSWORD,
  receivedCookies,
  sendForm,
} from '#tests/helpers/admin'
import { get, statusOf, type HttpResponse } from '#tests/helpers/http'

const WRONG = 'The user name or the password is wrong.'

/** The page without its top bar, as the theme switch there contains the current URL. */
function mainOf({ text }: HttpResponse): string {
  return text.slice(text.indexOf('<main'))
}

test.group('Admin | the login page', (group) => {
  group.setup(() => fakeHashes())
  group.each.setup(() => emptyAdminTables())

  test('[S21, B3] the login page has a form for name and password', async ({ assert }) => {
    const { status, text, headers } = await get('/admin/login')
    assert.equal(status, 200)
    assert.match(headers.get('content-type')!, /^text\/html/)
    assert.match(text, /<form[^>]* method="post" action="\/admin\/login">/)
    assert.match(text, /<input[^>]* name="username"/)
    assert.match(text, /<input[^>]* name="password" type="password"/)
    assert.notInclude(text, 'role="alert"')
    assert.isEmpty(headers.getSetCookie())
  })

  test('[S21] the login page redirects a logged-in user to the dashboard', async ({ assert }) => {
    const cookie = await cookiesOf(await makeUser('jo'))
    const { status, headers } = await get('/admin/login?next=/admin/Utensil/', {
      headers: { cookie },
    })
    assert.equal(status, 303)
    assert.equal(headers.get('location'), '/admin')
  })

  test('[S21] the login page is shown to a user whose session has ended, even with a valid token', async ({
    assert,
  }) => {
    const cookie = await cookiesOf(await makeUser('jo'))
    await db.from('admin_sessions').update({ is_active: false })
    const { status } = await get('/admin/login', { headers: { cookie } })
    assert.equal(status, 200)
  })

  test('[S21, B6] the login page shows why the user was redirected to it')
    .with([
      ['required', 'Log in to continue.', 'status'],
      ['ended', 'Your session ended. Log in to go on where you were.', 'status'],
    ])
    .run(async ({ assert }, [code, reason, role]) => {
      const { text } = await get(`/admin/login?error=${code}`)
      assert.include(text, `role="${role}">${reason}</p>`)
    })

  test('[B6] a text or an unknown reason in the URL is not shown on the login page')
    .with([
      'error=invalid',
      'error=Your+account+is+locked',
      'error[]=required',
      'error[x]=required',
      'error=required&error=ended',
      'error=__proto__',
      'error=toString',
      'error=throttled',
      'error=../login/title',
      'error=<script>alert(1)</script>',
      'message=Hello',
    ])
    .run(async ({ assert }, query) => {
      const response = await get(`/admin/login?${query}`)
      assert.equal(response.status, 200)
      assert.notInclude(response.text, 'role="alert"')
      assert.notInclude(response.text, '<script>alert')
      assert.notMatch(mainOf(response), /locked|alert\(1\)|Hello/)
    })

  test('[B3] the login page preserves the return path if it is within the site', async ({
    assert,
  }) => {
    const inside = await get(`/admin/login?next=${encodeURIComponent('/admin/X/?a="b&c=%22')}`)
    assert.include(mainOf(inside), 'name="next" value="/admin/X/?a=%22b&amp;c=%22"')
    const outside = await get('/admin/login?next=//evil.test')
    assert.notInclude(mainOf(outside), 'name="next"')
    assert.notInclude(mainOf(outside), 'evil.test')
  })
})

test.group('Admin | logging in', (group) => {
  let jo: AdminUser

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    jo = await makeUser('jo')
  })

  test('[S22, B3] the right password redirects to the dashboard', async ({ assert }) => {
    const response = await login('jo')
    assert.equal(response.status, 303)
    assert.equal(response.headers.get('location'), '/admin')
    assert.isTrue(await isSignedIn(cookiesFrom(response)))
  })

  test('[B4] the access token and session cookies of a login have the specified attributes', async ({
    assert,
  }) => {
    const cookies = receivedCookies(await login('jo'))
    /* The third tells devices apart: notices.spec.ts. */
    assert.sameMembers(Object.keys(cookies), ['access_token', 'session_id', 'admin_device'])
    assert.deepEqual(cookies.access_token.attributes, [
      'max-age=1800',
      'path=/admin',
      'httponly',
      'samesite=lax',
    ])
    assert.deepEqual(cookies.session_id.attributes, [
      'max-age=43200',
      'path=/admin',
      'httponly',
      'samesite=lax',
    ])
  })

  test('[B4] neither cookie is encoded or signed by AdonisJS, and the token cookie is a JWT', async ({
    assert,
  }) => {
    const { access_token: token, session_id: id } = receivedCookies(await login('jo'))
    assert.match(token.value, /^[\w-]+\.[\w-]+\.[\w-]+$/)
    assert.match(id.value, /^[\w-]{43}$/)
    assert.equal(decodeProtectedHeader(token.value).alg, 'HS256')

    const claims = decodeJwt(token.value)
    assert.sameMembers(Object.keys(claims), ['iss', 'aud', 'sub', 'sid', 'jti', 'iat', 'exp'])
    assert.equal(claims.sub, String(jo.id))
    assert.equal(claims.sid, createHash('sha256').update(id.value).digest('hex'))
    assert.equal(claims.exp! - claims.iat!, 1800)
    assert.isBelow(Math.abs(claims.iat! - Date.now() / 1000), 10)
  })

  test('[S22, B12] a session is stored with address and device', async ({ assert }) => {
    const response = await login('jo', PASSWORD, { headers: { 'user-agent': 'curl/8.5.0' } })
    const rows = await db.from('admin_sessions')
    assert.lengthOf(rows, 1)
    assert.equal(rows[0].user_id, jo.id)
    assert.match(rows[0].ip_address, /^(::1|(::ffff:)?127\.0\.0\.1)$/)
    assert.equal(rows[0].user_agent, 'curl/8.5.0')
    assert.notInclude(JSON.stringify(rows), receivedCookies(response).session_id.value)
  })

  test('[B3] the login redirects to the page that was requested first', async ({ assert }) => {
    const requested = await get('/admin/Utensil/?search-input=a%20b&page=2')
    const loginPage = await get(requested.headers.get('location')!)
    const next = /name="next" value="([^"]*)"/.exec(mainOf(loginPage))![1].replaceAll('&amp;', '&')
    const { status, headers } = await login('jo', PASSWORD, { next })
    assert.equal(status, 303)
    assert.equal(headers.get('location'), '/admin/Utensil/?search-input=a%20b&page=2')
  })

  test('[B3] a return path outside the site redirects to the dashboard')
    .with(['//evil.test', 'http://evil.test/admin/', '/api/utensils', '/admin/logout/', ''])
    .run(async ({ assert }, next) => {
      const { status, headers } = await login('jo', PASSWORD, { next })
      assert.equal(status, 303)
      assert.equal(headers.get('location'), '/admin')
    })

  test('[B3] every failed login has the same response', async ({ assert }) => {
    const texts = new Set<string>()
    for (const [username, password] of [
      ['jo', 'a wrong one'],
      ['jo', ''],
      ['nobody', PASSWORD],
      ['JO', PASSWORD],
      ['', ''],
      ['no such name!', PASSWORD],
    ]) {
      const response = await login(username, password)
      assert.equal(response.status, 401, `${username} ${password}`)
      assert.isEmpty(response.headers.getSetCookie())
      assert.include(response.text, `role="alert">${WRONG}</p>`)
      /* The user name is preserved, and the field to continue with has the focus. */
      texts.add(response.text.replace(/ value="[^"]*"/g, '').replaceAll(' autofocus', ''))
    }
    assert.equal(texts.size, 1)
    assert.isEmpty(await db.from('admin_sessions'))
  })

  test('[B3] the password is compared as typed, with its spaces', async ({ assert }) => {
    for (const password of [` ${PASSWORD}`, `${PASSWORD} `, PASSWORD.toUpperCase()]) {
      assert.equal(await statusOf(login('jo', password)), 401)
    }
    const long = `${'long horse '.repeat(9)}end`
    await makeUser('al', { password: long })
    assert.equal(await statusOf(login('al', long.slice(0, 72))), 401)
    assert.equal(await statusOf(login('al', long)), 303)
  })

  test('[B3] the form preserves the name, escaped, and not the password', async ({ assert }) => {
    const { text } = await login('"><b>jo', 'my-secret-password', { next: '/admin/Utensil/' })
    assert.include(text, 'name="username" type="text" value="&quot;&gt;&lt;b&gt;jo"')
    assert.notInclude(text, 'my-secret-password')
    assert.include(text, 'name="next" value="/admin/Utensil/"')
  })

  test('[B3] missing fields are a failed login, not an error', async ({ assert }) => {
    for (const body of ['', 'username=jo', `password=${PASSWORD}`, 'x=y']) {
      const { status } = await sendForm('/admin/login', body)
      assert.equal(status, 401, body)
    }
  })

  test('[B7] every login begins a new session', async ({ assert }) => {
    const first = await login('jo')
    const second = await login('jo', PASSWORD, { headers: { cookie: cookiesFrom(first) } })
    const idOf = (response: typeof first) => receivedCookies(response).session_id.value
    assert.notEqual(idOf(first), idOf(second))
    assert.isTrue(await isSignedIn(cookiesFrom(second)))
  })

  test("[B7, B5] a login ends the browser's previous session together with its token", async ({
    assert,
  }) => {
    const al = await makeUser('al')
    for (const user of [jo, al]) {
      const earlier = await cookiesOf(user)
      const elsewhere = await cookiesOf(user)
      const response = await login('jo', PASSWORD, { headers: { cookie: earlier } })
      assert.isTrue(await isSignedIn(cookiesFrom(response)))
      assert.isTrue(await isSignedIn(elsewhere))
      assert.isFalse(await isSignedIn(earlier))
      const { jti } = decodeJwt(cookieIn(earlier, 'access_token'))
      assert.isNotNull(await db.from('admin_token_blacklist').where('token', jti!).first())
    }
  })

  test("[B7] a login ends the browser's previous session before the session limit applies, so no other session ends", async ({
    assert,
  }) => {
    const cookies: string[] = []
    for (let i = 0; i < 5; i++) cookies.push(await cookiesOf(jo))
    await login('jo', PASSWORD, { headers: { cookie: cookies[4] } })
    const states = await Promise.all(cookies.map((cookie) => isSignedIn(cookie)))
    assert.deepEqual(states, [true, true, true, true, false])
  })

  test('[B7, B9] a failed or cross-site login ends no session', async ({ assert }) => {
    const cookie = await cookiesOf(jo)
    const failed = await login('jo', 'wrong', { headers: { cookie } })
    assert.equal(failed.status, 401)
    assert.isTrue(await isSignedIn(cookie))
    const forged = await login('jo', PASSWORD, { headers: { cookie, origin: 'http://evil.test' } })
    assert.equal(forged.status, 403)
    assert.isTrue(await isSignedIn(cookie))
  })
})

test.group('Admin | logging in with real hashes', (group) => {
  group.each.setup(() => emptyAdminTables())

  test('[S22, S57] the password is compared with its hash', async ({ assert }) => {
    const { hashedPassword } = await makeUser('jo')
    assert.notInclude(hashedPassword, PASSWORD)
    const right = await login('jo')
    const wrong = await login('jo', `${PASSWORD}x`)
    const theHashItself = await login('jo', hashedPassword)
    assert.deepEqual([right.status, wrong.status, theHashItself.status], [303, 401, 401])
  })
})

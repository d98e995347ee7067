import { test } from '@japa/runner'
import { ProjectCopy } from '#tests/engine/helpers/project_copy'

const PASSWORD = 'correct horse'

test.group('Admin | several processes', () => {
  test('[B7, P12] sessions survive a restart, and a command ends one in a running server', async ({
    assert,
    cleanup,
  }) => {
    const copy = await ProjectCopy.create()
    cleanup(() => copy.remove())
    let stop = await copy.start()
    const create = `printf '%s' '${PASSWORD}' | ${process.execPath} ace.js admin:create --username=jo --password-stdin`
    const created = await copy.run('sh', ['-c', create])
    assert.equal(created.status, 0, created.output)

    const signedIn = await fetch(`${copy.url}/admin/login`, {
      method: 'POST',
      body: new URLSearchParams({ username: 'jo', password: PASSWORD }),
      redirect: 'manual',
    })
    const cookie = signedIn.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ')
    const dashboard = async () => {
      const answer = await fetch(`${copy.url}/admin`, { headers: { cookie }, redirect: 'manual' })
      return answer.status
    }
    assert.equal(await dashboard(), 200)

    await stop()
    stop = await copy.start()
    assert.equal(await dashboard(), 200)

    const list = await copy.run(process.execPath, ['ace.js', 'admin:sessions', '--json'])
    const [session] = JSON.parse(list.output)
    const revoke = [`ace.js`, 'admin:sessions', `--revoke=${session.id}`]
    const revoked = await copy.run(process.execPath, revoke)
    assert.equal(revoked.status, 0, revoked.output)
    assert.equal(await dashboard(), 303)
    assert.equal(await stop(), 0)
  }).timeout(60_000)
})

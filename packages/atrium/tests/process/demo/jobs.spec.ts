import { setTimeout as sleep } from 'node:timers/promises'
import { test } from '@japa/runner'
import { ProjectCopy } from '#tests/helpers/project_copy'

const PASSWORD = 'correct horse'

test.group('Jobs in a separate process', () => {
  test('[D1, L8] a worker that is stopped completes its step, and the server continues the job', async ({
    assert,
    cleanup,
  }) => {
    const copy = await ProjectCopy.create()
    cleanup(() => copy.remove())
    let stop = await copy.start({ QUEUE_WORKER: 'false' })
    const create = `printf '%s' '${PASSWORD}' | ${process.execPath} ace.js admin:create --username=jo --password-stdin`
    await copy.run('sh', ['-c', create])
    const signedIn = await fetch(`${copy.url}/admin/login`, {
      method: 'POST',
      body: new URLSearchParams({ username: 'jo', password: PASSWORD }),
      redirect: 'manual',
    })
    const cookies = signedIn.headers.getSetCookie().map((line) => line.split(';')[0])
    const headers = { 'cookie': cookies.join('; '), 'content-type': 'application/json' }
    const total = async () => {
      const response = await fetch(`${copy.url}/api/films?limit=1`)
      const list = (await response.json()) as { total_count: number }
      return list.total_count
    }
    const count = await total()
    assert.isAbove(count, 3000)
    const response = await fetch(`${copy.url}/admin/Film/bulk-delete`, {
      method: 'DELETE',
      headers,
      body: JSON.stringify({ all: true, query: '', count }),
    })
    assert.equal(response.status, 202)
    const url = copy.url + response.headers.get('location')
    const page = async () => {
      const shown = await fetch(`${url}?poll=1`, { headers: { ...headers, 'hx-request': 'true' } })
      return await shown.text()
    }
    await sleep(500)
    assert.include(await page(), 'Waiting')
    assert.equal(await total(), count)

    const end = copy.launch(['ace.js', 'admin:work'])
    while (/value="0"/.test(await page())) await sleep(20)
    const ended = await end('SIGTERM')
    assert.equal(ended.status, 143, ended.output)
    const done = Number(/value="(\d+)"/.exec(await page())?.[1])
    assert.equal(await total(), count - done)
    /* Steps are as long as the writer may be taken. */
    assert.isAbove(done, 0)
    assert.isBelow(done, count)
    assert.include(await page(), 'Interrupted, will continue')

    await stop()
    stop = await copy.start()
    let shown = await page()
    for (let i = 0; i < 500 && !shown.includes(' deleted'); i++) {
      await sleep(20)
      shown = await page()
    }
    assert.include(await page(), `${count.toLocaleString('en')} films deleted`)
    assert.equal(await total(), 0)
    assert.equal(await stop(), 0, copy.output)
  }).timeout(180_000)
})

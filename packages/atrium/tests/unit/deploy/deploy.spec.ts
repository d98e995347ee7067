import { readFile } from 'node:fs/promises'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

test.group('Deployment files', () => {
  test('the systemd unit drops all privileges that the process does not need', async ({
    assert,
  }) => {
    const unit = await readFile(app.makePath('deploy/atrium.service'), 'utf8')
    const lines = unit.split('\n')
    /* Settings that `systemd-analyze security --offline=true` weighs most. */
    for (const line of [
      'UMask=0077',
      'StateDirectoryMode=0700',
      'ProtectSystem=strict',
      'ProtectHome=true',
      'PrivateUsers=true',
      'ProtectProc=invisible',
      'RestrictNamespaces=true',
      'NoNewPrivileges=true',
      'CapabilityBoundingSet=',
      'SystemCallArchitectures=native',
      'SystemCallFilter=@system-service',
      'SystemCallFilter=~@privileged @resources',
    ]) {
      assert.include(lines, line)
    }
    /* Node.js would not start with it. */
    assert.notMatch(unit, /^MemoryDenyWriteExecute/m)
  })

  test('the base image is pinned by its digest', async ({ assert }) => {
    const file = await readFile(app.makePath('Dockerfile'), 'utf8')
    const digest = /^ARG NODE_IMAGE=node:24[\w.-]*-slim@sha256:[0-9a-f]{64}$/m
    assert.match(file, digest)
    const bases = [...file.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base)
    assert.deepEqual(bases, ['${NODE_IMAGE}', '${NODE_IMAGE}'])
  })
})

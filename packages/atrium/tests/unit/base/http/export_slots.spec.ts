import type { HttpContext } from '@adonisjs/core/http'
import { test } from '@japa/runner'
import { AdminUser } from '#admin'
import { externalActor, ANONYMOUS } from '#base/actor'
import { takeExportSlot } from '#base/http/export_slots'
import type { Actor } from '#crud'

class Customer {
  constructor(readonly id: number) {}
}

const admin = () => new AdminUser().fill({ id: 5 } as Partial<AdminUser>)
const CTX = {
  request: { ip: () => '192.0.2.1' },
  response: { response: { socket: null } },
} as unknown as HttpContext

const CASES: Array<{ name: string; one: Actor; other: Actor; isSame: boolean }> = [
  {
    name: 'a session and a token of one admin user',
    one: { kind: 'admin', user: admin() },
    other: { kind: 'token', user: admin(), token: { id: 1, name: 't', abilities: [] } },
    isSame: true,
  },
  {
    name: 'an admin user, and a user of the application with the same id',
    one: { kind: 'admin', user: admin() },
    other: externalActor(new Customer(5) as never),
    isSame: false,
  },
  {
    name: 'two requests of one user of the application',
    one: externalActor(new Customer(5) as never),
    other: externalActor(new Customer(5) as never),
    isSame: true,
  },
  {
    name: 'two users without an id, from one network',
    one: externalActor({} as never),
    other: ANONYMOUS,
    isSame: true,
  },
]

test.group('Export slots', () => {
  test(
    '[D5] two callers share an export slot if they are the same user, or anonymous in one network: {name}'
  )
    .with(CASES)
    .run(({ assert, cleanup }, { isSame, one, other }) => {
      cleanup(takeExportSlot(CTX, one))
      if (isSame) assert.throws(() => takeExportSlot(CTX, other))
      else cleanup(takeExportSlot(CTX, other))
    })
})

"""forward.py PORT TARGET-PORT: what comes to a port of the loopback goes to another one, and back."""
import asyncio
import sys


async def copy(reader, writer):
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except ConnectionError:
        pass
    writer.close()


async def forward(reader, writer):
    try:
        inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", int(sys.argv[2]))
    except ConnectionError:
        writer.close()
        return
    await asyncio.gather(copy(reader, inner_writer), copy(inner_reader, writer))


async def main():
    server = await asyncio.start_server(forward, "127.0.0.1", int(sys.argv[1]))
    await server.serve_forever()


asyncio.run(main())

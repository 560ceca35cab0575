from ridealong.proto.v1 import conversation_pb2 as _conversation_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class AudioBlock(_message.Message):
    __slots__ = ("at", "rate", "pcm16")
    AT_FIELD_NUMBER: _ClassVar[int]
    RATE_FIELD_NUMBER: _ClassVar[int]
    PCM16_FIELD_NUMBER: _ClassVar[int]
    at: int
    rate: int
    pcm16: bytes
    def __init__(self, at: _Optional[int] = ..., rate: _Optional[int] = ..., pcm16: _Optional[bytes] = ...) -> None: ...

class CameraImage(_message.Message):
    __slots__ = ("at", "width", "height", "jpeg")
    AT_FIELD_NUMBER: _ClassVar[int]
    WIDTH_FIELD_NUMBER: _ClassVar[int]
    HEIGHT_FIELD_NUMBER: _ClassVar[int]
    JPEG_FIELD_NUMBER: _ClassVar[int]
    at: int
    width: int
    height: int
    jpeg: bytes
    def __init__(self, at: _Optional[int] = ..., width: _Optional[int] = ..., height: _Optional[int] = ..., jpeg: _Optional[bytes] = ...) -> None: ...

class SignalSample(_message.Message):
    __slots__ = ("at", "path", "value", "source")
    AT_FIELD_NUMBER: _ClassVar[int]
    PATH_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    at: int
    path: str
    value: _conversation_pb2.SignalValue
    source: str
    def __init__(self, at: _Optional[int] = ..., path: _Optional[str] = ..., value: _Optional[_Union[_conversation_pb2.SignalValue, _Mapping]] = ..., source: _Optional[str] = ...) -> None: ...
